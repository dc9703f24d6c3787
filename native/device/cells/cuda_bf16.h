// <cuda_bf16.h> for a cell: bfloat16, with what only cells use.
#pragma once
#pragma GCC system_header
#include_next <cuda_bf16.h>
#include <warpcell_cpu/narrow_more.h>

WARPCELL_CPU_NARROW_MORE(__nv_bfloat16, bfloat16, warpcell_cpu::Bfloat16Bits)

constexpr __nv_bfloat16_raw CUDART_INF_BF16{0x7f80}, CUDART_NAN_BF16{0x7fff}, CUDART_ONE_BF16{0x3f80},
    CUDART_ZERO_BF16{0}, CUDART_MAX_NORMAL_BF16{0x7f7f}, CUDART_MIN_DENORM_BF16{1};
