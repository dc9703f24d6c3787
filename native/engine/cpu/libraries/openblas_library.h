// Finds and opens OpenBLAS: turns a shared object on this machine into the functions that the cpu device calls.
#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "../../host/complex_numbers.h"

namespace warpcell::cpu {

// CBLAS's own numbers.
constexpr int kRowMajor = 101;
constexpr int kAsStored = 111;
constexpr int kTransposed = 112;

template <class T>
using Gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a, int a_leading,
                  const T* b, int b_leading, T beta, T* out, int out_leading);

template <class T>
using Gemv = void(int order, int transpose, int rows, int columns, T alpha, const T* a, int leading, const T* x,
                  int x_step, T beta, T* out, int out_step);

template <class T>
using Trsm = void(int order, int side, int part, int transpose, int diagonal, int rows, int columns, T alpha,
                  const T* a, int a_leading, T* b, int b_leading);

// Complex numbers are passed by their place.
template <class T>
using ComplexTrsm = void(int order, int side, int part, int transpose, int diagonal, int rows, int columns,
                         const T* alpha, const T* a, int a_leading, T* b, int b_leading);

// LAPACK's, as Fortran is called; `status` comes last.
template <class T>
using Potrf = void(const char* part, const int* n, T* a, const int* leading, int* status);
template <class T>
using Getrf = void(const int* m, const int* n, T* a, const int* leading, int* pivots, int* status);
template <class T>
using Getrs = void(const char* transpose, const int* n, const int* columns, const T* a, const int* a_leading,
                   const int* pivots, T* b, const int* b_leading, int* status);
template <class T>
using Geqrf = void(const int* m, const int* n, T* a, const int* leading, T* factors, T* work, const int* size,
                   int* status);
template <class T>
using Orgqr = void(const int* m, const int* columns, const int* n, T* a, const int* leading, const T* factors, T* work,
                   const int* size, int* status);
template <class T>
using Syevd = void(const char* job, const char* part, const int* n, T* a, const int* leading, T* values, T* work,
                   const int* size, int* whole_work, const int* whole_size, int* status);
template <class T>
using Geev = void(const char* left_job, const char* right_job, const int* n, T* a, const int* leading, T* real,
                  T* imaginary, T* left, const int* left_leading, T* right, const int* right_leading, T* work,
                  const int* size, int* status);
template <class T>
using Gesdd = void(const char* job, const int* m, const int* n, T* a, const int* leading, T* values, T* u,
                   const int* u_leading, T* v, const int* v_leading, T* work, const int* size, int* whole_work,
                   int* status);

// The same of complex numbers, whose values are real and which work with real numbers, too.
template <class T>
using Heevd = void(const char* job, const char* part, const int* n, T* a, const int* leading, Real<T>* values, T* work,
                   const int* size, Real<T>* real_work, const int* real_size, int* whole_work, const int* whole_size,
                   int* status);
template <class T>
using ComplexGeev = void(const char* left_job, const char* right_job, const int* n, T* a, const int* leading, T* values,
                         T* left, const int* left_leading, T* right, const int* right_leading, T* work, const int* size,
                         Real<T>* real_work, int* status);
template <class T>
using ComplexGesdd = void(const char* job, const int* m, const int* n, T* a, const int* leading, Real<T>* values, T* u,
                          const int* u_leading, T* v, const int* v_leading, T* work, const int* size,
                          Real<T>* real_work, int* whole_work, int* status);

// X(type, function, before, after): what it does for numbers of one type; the symbol has the type's letter in between.
#define WARPCELL_BLAS_FUNCTIONS(X) \
  X(Gemm, gemm, "cblas_", "gemm")  \
  X(Gemv, gemv, "cblas_", "gemv")
#define WARPCELL_LAPACK_FUNCTIONS(X) \
  X(Trsm, trsm, "cblas_", "trsm")    \
  X(Potrf, potrf, "", "potrf_")      \
  X(Potrf, potri, "", "potri_")      \
  X(Getrf, getrf, "", "getrf_")      \
  X(Getrs, getrs, "", "getrs_")      \
  X(Geqrf, geqrf, "", "geqrf_")      \
  X(Orgqr, orgqr, "", "orgqr_")      \
  X(Syevd, syevd, "", "syevd_")      \
  X(Geev, geev, "", "geev_")         \
  X(Gesdd, gesdd, "", "gesdd_")

#define WARPCELL_COMPLEX_LAPACK_FUNCTIONS(X) \
  X(ComplexTrsm, trsm, "cblas_", "trsm")     \
  X(Potrf, potrf, "", "potrf_")              \
  X(Potrf, potri, "", "potri_")              \
  X(Getrf, getrf, "", "getrf_")              \
  X(Getrs, getrs, "", "getrs_")              \
  X(Geqrf, geqrf, "", "geqrf_")              \
  X(Orgqr, orgqr, "", "ungqr_")              \
  X(Heevd, heevd, "", "heevd_")              \
  X(ComplexGeev, geev, "", "geev_")          \
  X(ComplexGesdd, gesdd, "", "gesdd_")

template <class T>
struct BlasCalls {
#define X(type, function, before, after) type<T>* function = nullptr;
  // clang-format off
  WARPCELL_BLAS_FUNCTIONS(X)
  WARPCELL_LAPACK_FUNCTIONS(X)
// clang-format on
#undef X
  bool has_lapack = true;  // it may be built without
};

template <class T>
struct ComplexCalls {
#define X(type, function, before, after) type<T>* function = nullptr;
  // clang-format off
  WARPCELL_COMPLEX_LAPACK_FUNCTIONS(X)
// clang-format on
#undef X
  bool has_lapack = true;
};

struct OpenBlas {
  std::string path;
  std::string version;    // "0.3.34"
  std::string processor;  // whose kernels it chose: "SkylakeX"
  BlasCalls<float> single_calls;
  BlasCalls<double> double_calls;
  ComplexCalls<std::complex<float>> complex_single_calls;
  ComplexCalls<std::complex<double>> complex_double_calls;
  void (*set_threads)(int) = nullptr;  // how many a call works with: 1, but while a call is told otherwise
};

template <class T>
const auto& calls_of(const OpenBlas& library) {
  if constexpr (std::is_same_v<T, float>)
    return library.single_calls;
  else if constexpr (std::is_same_v<T, double>)
    return library.double_calls;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return library.complex_single_calls;
  else
    return library.complex_double_calls;
}

// Opened by the first call. It works on the thread that calls, whichever of the pool's that is. Throws DeviceError:
// OPTION when WARPCELL_OPENBLAS names none that works, NO_LIBRARY when there is none or WARPCELL_OPENBLAS is "off".
const OpenBlas& openblas();

}  // namespace warpcell::cpu
