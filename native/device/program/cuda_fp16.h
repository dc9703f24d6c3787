// <cuda_fp16.h> for the host code of a program: halves that host code stores and converts.
#pragma once
#include "warpcell_program/narrow.h"

WARPCELL_PROGRAM_NARROW(__half, __half2, 5, 10)

using half = __half;
using half2 = __half2;

static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline float __half2float(__half x) { return float(x); }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
