// <cuda_bf16.h> for a cell: bfloat16, computed in float and rounded once per operation.
#pragma once
#include "warpcell_cpu/narrow_operations.h"

WARPCELL_CPU_NARROW_TYPE(__nv_bfloat16, __nv_bfloat162, warpcell_cpu::Bfloat16Bits)
WARPCELL_CPU_NARROW_OPERATIONS(__nv_bfloat16)
WARPCELL_CPU_NARROW_CONVERSIONS(__nv_bfloat16, bfloat16)

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
