// <math_constants.h> for the host code of a program: the constants are there with <cuda_runtime.h>.
#pragma once
#include "cuda_runtime.h"
