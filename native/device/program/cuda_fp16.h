// <cuda_fp16.h> for the host code of a program: halves that host code stores and converts.
#pragma once
#include "vector_types.h"
#include "warpcell_program/narrow.h"

WARPCELL_PROGRAM_NARROW(__half, __half2, 5, 10)

using half = __half;
using half2 = __half2;

static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline float __half2float(__half x) { return float(x); }
static inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
static inline __half2 make_half2(__half x, __half y) { return {x, y}; }
static inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
static inline __half2 __half2half2(__half x) { return {x, x}; }
static inline __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
static inline __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
static inline float2 __half22float2(__half2 v) { return {float(v.x), float(v.y)}; }
static inline float __low2float(__half2 v) { return float(v.x); }
static inline float __high2float(__half2 v) { return float(v.y); }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline __half __double2half(double x) { return __half(x); }
