// "helper_math.h" as programs after CUDA's samples include it: arithmetic of float2, int3, uint4 and their kin, for
// host code and kernels.
#pragma once
#include <math.h>

#define WARPCELL_BOTH static inline __host__ __device__
// clang-format off
#define WARPCELL_OPERATOR(V, T, op) \
  WARPCELL_BOTH V##2 operator op(V##2 a, V##2 b) { return make_##V##2(a.x op b.x, a.y op b.y); } \
  WARPCELL_BOTH V##3 operator op(V##3 a, V##3 b) { return make_##V##3(a.x op b.x, a.y op b.y, a.z op b.z); } \
  WARPCELL_BOTH V##4 operator op(V##4 a, V##4 b) { \
    return make_##V##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); \
  } \
  WARPCELL_WITH_NUMBER(V##2, T, op) WARPCELL_WITH_NUMBER(V##3, T, op) WARPCELL_WITH_NUMBER(V##4, T, op)
#define WARPCELL_WITH_NUMBER(V, T, op) \
  WARPCELL_BOTH V operator op(V a, T b) { return a op make_##V(b); } \
  WARPCELL_BOTH V operator op(T a, V b) { return make_##V(a) op b; } \
  WARPCELL_BOTH void operator op##=(V& a, V b) { a = a op b; } \
  WARPCELL_BOTH void operator op##=(V& a, T b) { a = a op b; }
#define WARPCELL_EACH(V, name, of) \
  WARPCELL_BOTH V##2 name(V##2 a) { return make_##V##2(of(a.x), of(a.y)); } \
  WARPCELL_BOTH V##3 name(V##3 a) { return make_##V##3(of(a.x), of(a.y), of(a.z)); } \
  WARPCELL_BOTH V##4 name(V##4 a) { return make_##V##4(of(a.x), of(a.y), of(a.z), of(a.w)); }
#define WARPCELL_PAIRS(V, name, of) \
  WARPCELL_BOTH V##2 name(V##2 a, V##2 b) { return make_##V##2(of(a.x, b.x), of(a.y, b.y)); } \
  WARPCELL_BOTH V##3 name(V##3 a, V##3 b) { return make_##V##3(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z)); } \
  WARPCELL_BOTH V##4 name(V##4 a, V##4 b) { \
    return make_##V##4(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z), of(a.w, b.w)); \
  }
// From fewer or more numbers, from another vector, by arithmetic, and within limits.
#define WARPCELL_VECTORS(V, T, least, most) \
  WARPCELL_BOTH V##2 make_##V##2(T s) { return make_##V##2(s, s); } \
  WARPCELL_BOTH V##3 make_##V##3(T s) { return make_##V##3(s, s, s); } \
  WARPCELL_BOTH V##4 make_##V##4(T s) { return make_##V##4(s, s, s, s); } \
  WARPCELL_BOTH V##2 make_##V##2(V##3 a) { return make_##V##2(a.x, a.y); } \
  WARPCELL_BOTH V##2 make_##V##2(V##4 a) { return make_##V##2(a.x, a.y); } \
  WARPCELL_BOTH V##3 make_##V##3(V##2 a) { return make_##V##3(a.x, a.y, 0); } \
  WARPCELL_BOTH V##3 make_##V##3(V##2 a, T z) { return make_##V##3(a.x, a.y, z); } \
  WARPCELL_BOTH V##3 make_##V##3(V##4 a) { return make_##V##3(a.x, a.y, a.z); } \
  WARPCELL_BOTH V##4 make_##V##4(V##3 a) { return make_##V##4(a.x, a.y, a.z, 0); } \
  WARPCELL_BOTH V##4 make_##V##4(V##3 a, T w) { return make_##V##4(a.x, a.y, a.z, w); } \
  WARPCELL_OPERATOR(V, T, +) WARPCELL_OPERATOR(V, T, -) WARPCELL_OPERATOR(V, T, *) \
  WARPCELL_PAIRS(V, least, least) WARPCELL_PAIRS(V, most, most) \
  WARPCELL_BOTH T clamp(T a, T low, T high) { return most(low, least(a, high)); } \
  WARPCELL_BOTH V##2 clamp(V##2 a, V##2 low, V##2 high) { return most(low, least(a, high)); } \
  WARPCELL_BOTH V##3 clamp(V##3 a, V##3 low, V##3 high) { return most(low, least(a, high)); } \
  WARPCELL_BOTH V##4 clamp(V##4 a, V##4 low, V##4 high) { return most(low, least(a, high)); } \
  WARPCELL_BOTH V##2 clamp(V##2 a, T low, T high) { return clamp(a, make_##V##2(low), make_##V##2(high)); } \
  WARPCELL_BOTH V##3 clamp(V##3 a, T low, T high) { return clamp(a, make_##V##3(low), make_##V##3(high)); } \
  WARPCELL_BOTH V##4 clamp(V##4 a, T low, T high) { return clamp(a, make_##V##4(low), make_##V##4(high)); } \
  WARPCELL_BOTH T dot(V##2 a, V##2 b) { return a.x * b.x + a.y * b.y; } \
  WARPCELL_BOTH T dot(V##3 a, V##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
  WARPCELL_BOTH T dot(V##4 a, V##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define WARPCELL_FLOATS(V) \
  WARPCELL_BOTH V lerp(V a, V b, float t) { return a + t * (b - a); } \
  WARPCELL_BOTH float length(V a) { return sqrtf(dot(a, a)); } \
  WARPCELL_BOTH V normalize(V a) { return a * (1.0f / sqrtf(dot(a, a))); } \
  WARPCELL_BOTH V fracf(V a) { return a - floorf(a); } \
  WARPCELL_BOTH V fmodf(V a, V b) { return a - b * floorf(a / b); } \
  WARPCELL_BOTH V smoothstep(V a, V b, V x) { \
    V y = clamp((x - a) / (b - a), 0.0f, 1.0f); \
    return y * y * (3.0f - 2.0f * y); \
  }
// clang-format on

WARPCELL_VECTORS(float, float, fminf, fmaxf)
WARPCELL_VECTORS(int, int, min, max)
WARPCELL_VECTORS(uint, unsigned, min, max)
WARPCELL_OPERATOR(float, float, /)
WARPCELL_EACH(float, operator-, -)
WARPCELL_EACH(int, operator-, -)
WARPCELL_EACH(float, floorf, floorf)
WARPCELL_EACH(float, fabs, fabsf)
WARPCELL_EACH(int, abs, abs)

WARPCELL_BOTH float lerp(float a, float b, float t) { return a + t * (b - a); }
WARPCELL_BOTH float fracf(float x) { return x - floorf(x); }
WARPCELL_FLOATS(float2)
WARPCELL_FLOATS(float3)
WARPCELL_FLOATS(float4)

WARPCELL_BOTH float2 make_float2(int2 a) { return make_float2(float(a.x), float(a.y)); }
WARPCELL_BOTH float3 make_float3(int3 a) { return make_float3(float(a.x), float(a.y), float(a.z)); }
WARPCELL_BOTH float4 make_float4(int4 a) { return make_float4(float(a.x), float(a.y), float(a.z), float(a.w)); }
WARPCELL_BOTH int2 make_int2(float2 a) { return make_int2(int(a.x), int(a.y)); }
WARPCELL_BOTH int3 make_int3(float3 a) { return make_int3(int(a.x), int(a.y), int(a.z)); }
WARPCELL_BOTH int4 make_int4(float4 a) { return make_int4(int(a.x), int(a.y), int(a.z), int(a.w)); }
WARPCELL_BOTH float3 reflect(float3 a, float3 normal) { return a - 2.0f * normal * dot(normal, a); }
WARPCELL_BOTH float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#undef WARPCELL_FLOATS
#undef WARPCELL_VECTORS
#undef WARPCELL_PAIRS
#undef WARPCELL_EACH
#undef WARPCELL_WITH_NUMBER
#undef WARPCELL_OPERATOR
#undef WARPCELL_BOTH
