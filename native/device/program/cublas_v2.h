// <cublas_v2.h> for the host code of a program: own functions, which run on either device.
#pragma once
#include "warpcell_program/blas.h"
