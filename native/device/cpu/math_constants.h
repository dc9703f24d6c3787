// <math_constants.h> for a cell: CUDA's names of mathematical constants. (CUDA Math API, "Mathematical Constants".)
#pragma once

// X(name, value): for float, with F at the end of its name, and for double.
#define WARPCELL_CPU_CONSTANTS(X)                                                                                                 \
  X(ZERO, 0.0) X(NEG_ZERO, -0.0) X(ONE, 1.0) X(THIRD, 1.0 / 3.0) X(SQRT_HALF, 0.70710678118654752440)                             \
  X(SQRT_TWO, 1.41421356237309504880) X(PIO4, 0.78539816339744830962) X(PIO2, 1.57079632679489661923)                             \
  X(3PIO4, 2.35619449019234492885) X(PI, 3.14159265358979323846) X(2_OVER_PI, 0.63661977236758134308)                             \
  X(SQRT_2_OVER_PI, 0.79788456080286535588) X(L2E, 1.44269504088896340736) X(L2T, 3.32192809488736234787)                         \
  X(LG2, 0.30102999566398119521) X(LGE, 0.43429448190325182765) X(LN2, 0.69314718055994530942) X(LNT, 2.30258509299404568402)     \
  X(INF, __builtin_huge_val()) X(NAN, __builtin_nan(""))
#define X(name, value) constexpr float CUDART_##name##_F = float(value); constexpr double CUDART_##name = value;
WARPCELL_CPU_CONSTANTS(X)
#undef X
#undef WARPCELL_CPU_CONSTANTS
constexpr float CUDART_MIN_DENORM_F = 0x1p-149f, CUDART_MAX_NORMAL_F = 0x1.fffffep127f;
constexpr double CUDART_MIN_DENORM = 0x1p-1074;
