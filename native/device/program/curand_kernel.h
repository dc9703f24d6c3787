// <curand_kernel.h> for the host code of a program, which makes room for states of generators and hands them to
// kernels: their layout, and nothing more.
#pragma once
#include "vector_types.h"

// clang-format off
#define WARPCELL_PROGRAM_GENERATOR(Name, ...) \
  struct Name { \
    __VA_ARGS__ \
    int boxmuller_flag, boxmuller_flag_double; \
    float boxmuller_extra; \
    double boxmuller_extra_double; \
  }; \
  using Name##_t = Name;
// clang-format on

WARPCELL_PROGRAM_GENERATOR(curandStateXORWOW, unsigned int d, v[5];)
WARPCELL_PROGRAM_GENERATOR(curandStatePhilox4_32_10, uint4 ctr, output; uint2 key; unsigned int STATE;)
WARPCELL_PROGRAM_GENERATOR(curandStateMRG32k3a, unsigned int s1[3], s2[3];)
#undef WARPCELL_PROGRAM_GENERATOR

using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
