// <cuda_fp16.h> for a cell: half precision, computed in float and rounded once per operation.
#pragma once
#include "warpcell_cpu/narrow_operations.h"

WARPCELL_CPU_NARROW_TYPE(__half, __half2, warpcell_cpu::HalfBits)
WARPCELL_CPU_NARROW_OPERATIONS(__half)
WARPCELL_CPU_NARROW_CONVERSIONS(__half, half)

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
