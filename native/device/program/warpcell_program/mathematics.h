// What CUDA adds to the mathematics of host code: min and max of numbers, and a few functions that C++ lacks.
#pragma once
#include <math.h>

// clang-format off
#define WARPCELL_PROGRAM_LEAST(type) \
  static inline constexpr type min(type a, type b) { return a < b ? a : b; } \
  static inline constexpr type max(type a, type b) { return a < b ? b : a; }
// clang-format on

WARPCELL_PROGRAM_LEAST(int)
WARPCELL_PROGRAM_LEAST(unsigned)
WARPCELL_PROGRAM_LEAST(long)
WARPCELL_PROGRAM_LEAST(unsigned long)
WARPCELL_PROGRAM_LEAST(long long)
WARPCELL_PROGRAM_LEAST(unsigned long long)
WARPCELL_PROGRAM_LEAST(float)
WARPCELL_PROGRAM_LEAST(double)
#undef WARPCELL_PROGRAM_LEAST
static inline constexpr unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
static inline constexpr unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
static inline constexpr unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
static inline constexpr unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
static inline constexpr double min(float a, double b) { return min((double)a, b); }
static inline constexpr double min(double a, float b) { return min(a, (double)b); }
static inline constexpr double max(float a, double b) { return max((double)a, b); }
static inline constexpr double max(double a, float b) { return max(a, (double)b); }

static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rcbrtf(float x) { return 1 / cbrtf(x); }
static inline double rcbrt(double x) { return 1 / cbrt(x); }
