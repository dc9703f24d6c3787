// <cuda_runtime.h> for the host code of a program: CUDA's language and its runtime.
#pragma once
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <new>
#include <utility>

#include "warpcell_program/language.h"
#include "warpcell_program/vectors.h"
#include "warpcell_program/mathematics.h"
#include "warpcell_program/templates.h"
