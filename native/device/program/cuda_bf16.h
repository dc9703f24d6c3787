// <cuda_bf16.h> for the host code of a program: bfloat16 numbers that host code stores and converts.
#pragma once
#include "warpcell_program/narrow.h"

WARPCELL_PROGRAM_NARROW(__nv_bfloat16, __nv_bfloat162, 8, 7)

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return float(x); }
