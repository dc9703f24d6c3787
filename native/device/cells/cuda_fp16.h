// <cuda_fp16.h> for a cell: half precision, with what only cells use.
#pragma once
#pragma GCC system_header
#include_next <cuda_fp16.h>
#include <warpcell_cpu/narrow_more.h>

WARPCELL_CPU_NARROW_MORE(__half, half, warpcell_cpu::HalfBits)

WARPCELL_CPU_FN __half htanh_approx(__half x) { return htanh(x); }
WARPCELL_CPU_FN __half2 h2tanh_approx(__half2 x) { return h2tanh(x); }
constexpr __half_raw CUDART_INF_FP16{0x7c00}, CUDART_NAN_FP16{0x7fff}, CUDART_ONE_FP16{0x3c00}, CUDART_ZERO_FP16{0},
    CUDART_MAX_NORMAL_FP16{0x7bff}, CUDART_MIN_DENORM_FP16{1};
