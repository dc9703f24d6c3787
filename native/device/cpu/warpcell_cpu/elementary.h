// CUDA's elementary functions on the C library's: sqrtf and its kin, their overloads for float, and the fast intrinsics.
// (CUDA Math API, "Single Precision", "Double Precision"; results may differ from a GPU's by 1–2 ulp.)
#pragma once
#include "language.h"
#include "switch.h"

// X(name): of one argument; of two.
#define WARPCELL_CPU_UNARY(X)                                                                                                     \
  X(sqrt) X(cbrt) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(exp) X(exp2)  \
  X(expm1) X(log) X(log2) X(log10) X(log1p) X(floor) X(ceil) X(trunc) X(round) X(rint) X(nearbyint) X(fabs) X(erf) X(erfc)        \
  X(tgamma) X(lgamma) X(logb)
#define WARPCELL_CPU_BINARY(X) X(pow) X(atan2) X(fmod) X(remainder) X(hypot) X(fdim) X(fmax) X(fmin) X(copysign) X(nextafter)

namespace warpcell_cpu {

template <bool condition, class T>
struct EnableIf {};
template <class T>
struct EnableIf<true, T> { using type = T; };

template <class T> constexpr bool is_integer = false;
template <class T> constexpr bool is_real = false;
template <> constexpr bool is_real<float> = true;
template <> constexpr bool is_real<double> = true;
#define WARPCELL_CPU_INTEGER(type) template <> constexpr bool is_integer<type> = true;
WARPCELL_CPU_INTEGER(bool) WARPCELL_CPU_INTEGER(char) WARPCELL_CPU_INTEGER(signed char) WARPCELL_CPU_INTEGER(unsigned char)
WARPCELL_CPU_INTEGER(short) WARPCELL_CPU_INTEGER(unsigned short) WARPCELL_CPU_INTEGER(int) WARPCELL_CPU_INTEGER(unsigned int)
WARPCELL_CPU_INTEGER(long) WARPCELL_CPU_INTEGER(unsigned long) WARPCELL_CPU_INTEGER(long long) WARPCELL_CPU_INTEGER(unsigned long long)
#undef WARPCELL_CPU_INTEGER
template <class T> constexpr bool is_number = is_integer<T> || is_real<T>;
template <class A, class B> constexpr bool is_same = false;
template <class A> constexpr bool is_same<A, A> = true;

}  // namespace warpcell_cpu

#if !defined(WARPCELL_CPU_STANDARD_LIBRARY)
extern "C" {
#define X(name) double name(double) noexcept; float name##f(float) noexcept;
WARPCELL_CPU_UNARY(X)
#undef X
#define X(name) double name(double, double) noexcept; float name##f(float, float) noexcept;
WARPCELL_CPU_BINARY(X)
#undef X
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double scalbln(double, long) noexcept;
float scalblnf(float, long) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
long lround(double) noexcept;
long lroundf(float) noexcept;
long long llround(double) noexcept;
long long llroundf(float) noexcept;
int abs(int) noexcept __attribute__((const));
long labs(long) noexcept __attribute__((const));
long long llabs(long long) noexcept __attribute__((const));
void* memcpy(void* __restrict, const void* __restrict, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
void* malloc(size_t) noexcept;
void free(void*) noexcept;
}

// An integer argument is a double, as in C++.
#define X(name)                                                                                                                   \
  WARPCELL_CPU_FN float name(float x) { return name##f(x); }                                                                      \
  template <class T>                                                                                                              \
  WARPCELL_CPU_FN typename warpcell_cpu::EnableIf<warpcell_cpu::is_integer<T>, double>::type name(T x) { return name(double(x)); }
WARPCELL_CPU_UNARY(X)
#undef X
#define X(name)                                                                                                                   \
  WARPCELL_CPU_FN float name(float x, float y) { return name##f(x, y); }                                                          \
  template <class A, class B>                                                                                                     \
  WARPCELL_CPU_FN typename warpcell_cpu::EnableIf<warpcell_cpu::is_number<A> && warpcell_cpu::is_number<B>, double>::type         \
  name(A x, B y) { return name(double(x), double(y)); }
WARPCELL_CPU_BINARY(X)
#undef X
WARPCELL_CPU_FN float fma(float x, float y, float z) { return fmaf(x, y, z); }
WARPCELL_CPU_FN float ldexp(float x, int exponent) { return ldexpf(x, exponent); }
WARPCELL_CPU_FN float scalbn(float x, int exponent) { return scalbnf(x, exponent); }
WARPCELL_CPU_FN float scalbln(float x, long exponent) { return scalblnf(x, exponent); }
WARPCELL_CPU_FN float frexp(float x, int* exponent) { return frexpf(x, exponent); }
WARPCELL_CPU_FN float modf(float x, float* whole) { return modff(x, whole); }
WARPCELL_CPU_FN long lrint(float x) { return lrintf(x); }
WARPCELL_CPU_FN long lround(float x) { return lroundf(x); }
WARPCELL_CPU_FN long long llrint(float x) { return llrintf(x); }
WARPCELL_CPU_FN long long llround(float x) { return llroundf(x); }
WARPCELL_CPU_FN float abs(float x) { return fabsf(x); }
WARPCELL_CPU_FN double abs(double x) { return fabs(x); }
WARPCELL_CPU_FN long abs(long x) { return labs(x); }
WARPCELL_CPU_FN long long abs(long long x) { return llabs(x); }
#define X(type)                                                                       \
  WARPCELL_CPU_FN bool isnan(type x) { return __builtin_isnan(x); }                   \
  WARPCELL_CPU_FN bool isinf(type x) { return __builtin_isinf(x); }                   \
  WARPCELL_CPU_FN bool isfinite(type x) { return __builtin_isfinite(x); }             \
  WARPCELL_CPU_FN bool signbit(type x) { return __builtin_signbit(x); }
X(float) X(double)
#undef X
#endif

// max and min: a NaN gives way to the other argument. Mixed types meet as they do in an expression.
#define X(type)                                                                                        \
  WARPCELL_CPU_FN type max(type a, type b) { return a < b || a != a ? b : a; }                         \
  WARPCELL_CPU_FN type min(type a, type b) { return b < a || a != a ? b : a; }
X(int) X(unsigned int) X(long) X(unsigned long) X(long long) X(unsigned long long) X(float) X(double)
#undef X
#define X(name)                                                                                                                   \
  template <class A, class B>                                                                                                     \
  WARPCELL_CPU_FN typename warpcell_cpu::EnableIf<warpcell_cpu::is_number<A> && warpcell_cpu::is_number<B> &&                     \
                                                      !warpcell_cpu::is_same<A, B>, decltype(A() + B())>::type                    \
  name(A a, B b) { return name(decltype(A() + B())(a), decltype(A() + B())(b)); }
X(max) X(min)
#undef X
#define X(prefix, type)                                                    \
  WARPCELL_CPU_FN type prefix##max(type a, type b) { return max(a, b); }   \
  WARPCELL_CPU_FN type prefix##min(type a, type b) { return min(a, b); }
X(u, unsigned int) X(ll, long long) X(ull, unsigned long long)
#undef X

// The GNU C library has declared these names for itself, without ever defining them.
#if defined(WARPCELL_CPU_STANDARD_LIBRARY)
#define __sinf warpcell_cpu_fast_sinf
#define __cosf warpcell_cpu_fast_cosf
#define __tanf warpcell_cpu_fast_tanf
#define __expf warpcell_cpu_fast_expf
#define __exp10f warpcell_cpu_fast_exp10f
#define __logf warpcell_cpu_fast_logf
#define __log2f warpcell_cpu_fast_log2f
#define __log10f warpcell_cpu_fast_log10f
#define __powf warpcell_cpu_fast_powf
#define __sincosf warpcell_cpu_fast_sincosf
#endif

// What CUDA adds to C: templates, so that they give way to the C library's own where it has them (glibc: exp10, sincos, since 2.41 rsqrt and sinpi).
#define WARPCELL_CPU_ADDED template <int = 0> WARPCELL_CPU_FN
WARPCELL_CPU_ADDED float rsqrtf(float x) { return 1.0f / sqrtf(x); }
WARPCELL_CPU_ADDED double rsqrt(double x) { return 1.0 / sqrt(x); }
WARPCELL_CPU_ADDED float rsqrt(float x) { return rsqrtf(x); }
WARPCELL_CPU_ADDED float rcbrtf(float x) { return 1.0f / cbrtf(x); }
WARPCELL_CPU_ADDED double rcbrt(double x) { return 1.0 / cbrt(x); }
WARPCELL_CPU_ADDED float exp10f(float x) { return powf(10.0f, x); }
WARPCELL_CPU_ADDED double exp10(double x) { return pow(10.0, x); }
WARPCELL_CPU_ADDED void sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
WARPCELL_CPU_ADDED void sincos(double x, double* s, double* c) { *s = sin(x); *c = cos(x); }
WARPCELL_CPU_ADDED double sinpi(double x) { return sin(3.14159265358979323846 * fmod(x, 2.0)); }
WARPCELL_CPU_ADDED double cospi(double x) { return cos(3.14159265358979323846 * fmod(x, 2.0)); }
WARPCELL_CPU_ADDED float sinpif(float x) { return float(sinpi(double(x))); }
WARPCELL_CPU_ADDED float cospif(float x) { return float(cospi(double(x))); }
WARPCELL_CPU_ADDED void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
WARPCELL_CPU_ADDED void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
#define X(type, f)                                                                                                                 \
  WARPCELL_CPU_ADDED type rhypot##f(type x, type y) { return type(1) / hypot##f(x, y); }                                           \
  WARPCELL_CPU_ADDED type norm3d##f(type x, type y, type z) { return hypot##f(hypot##f(x, y), z); }                                \
  WARPCELL_CPU_ADDED type norm4d##f(type x, type y, type z, type w) { return hypot##f(norm3d##f(x, y, z), w); }                    \
  WARPCELL_CPU_ADDED type rnorm3d##f(type x, type y, type z) { return type(1) / norm3d##f(x, y, z); }                              \
  WARPCELL_CPU_ADDED type rnorm4d##f(type x, type y, type z, type w) { return type(1) / norm4d##f(x, y, z, w); }                   \
  WARPCELL_CPU_ADDED type remquo##f(type x, type y, int* quotient) { return __builtin_remquo##f(x, y, quotient); }                 \
  WARPCELL_CPU_ADDED type nan##f(const char* tag) { return __builtin_nan##f(""); }
X(float, f) X(double, )
#undef X
#undef WARPCELL_CPU_ADDED

// The fast intrinsics are no less accurate here than the functions.
WARPCELL_CPU_FN float __sinf(float x) { return sinf(x); }
WARPCELL_CPU_FN float __cosf(float x) { return cosf(x); }
WARPCELL_CPU_FN float __tanf(float x) { return tanf(x); }
WARPCELL_CPU_FN float __expf(float x) { return expf(x); }
WARPCELL_CPU_FN float __exp10f(float x) { return exp10f(x); }
WARPCELL_CPU_FN float __logf(float x) { return logf(x); }
WARPCELL_CPU_FN float __log2f(float x) { return log2f(x); }
WARPCELL_CPU_FN float __log10f(float x) { return log10f(x); }
WARPCELL_CPU_FN float __powf(float x, float y) { return powf(x, y); }
WARPCELL_CPU_FN float __fdividef(float x, float y) { return x / y; }
WARPCELL_CPU_FN float fdividef(float x, float y) { return x / y; }
WARPCELL_CPU_FN void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
WARPCELL_CPU_FN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
WARPCELL_CPU_FN float __frsqrt_rn(float x) { return rsqrtf(x); }
