// <cublas_v2.h> for the host code of a program: what courses use of cuBLAS, of float and double, as launches of one
// kernel of ours with what each thread does. (cuBLAS, "Using the cuBLAS API".)
#pragma once
#include "blas_types.h"

namespace warpcell_blas {

// clang-format off
#define WARPCELL_HANDLE(condition) \
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED; \
  if (!(condition)) return CUBLAS_STATUS_INVALID_VALUE;
// clang-format on

inline bool fits(long long lead, long long rows) { return lead >= (rows > 1 ? rows : 1); }

template <class T>
cublasStatus_t product(cublasHandle_t handle, CallLine line, Product<T> body, long long count) {
  if (body.m == 0 || body.n == 0) return CUBLAS_STATUS_SUCCESS;
  size_t pieces = ((body.m + kRows - 1) / kRows) * ((body.n + kColumns - 1) / kColumns);
  return each(handle, line, pieces * size_t(count), body);
}

template <class T>
struct Gemm {
  cublasOperation_t of_a, of_b;
  int m, n, k;
  const T* alpha;
  int lda, ldb;
  const T* beta;
  int ldc;
  bool is_right() const {
    return m >= 0 && n >= 0 && k >= 0 && alpha != nullptr && beta != nullptr &&
           fits(lda, of_a == CUBLAS_OP_N ? m : k) && fits(ldb, of_b == CUBLAS_OP_N ? k : n) && fits(ldc, m);
  }
  Product<T> body(cublasHandle_t handle, const T* a, const T* b, T* c) const {
    return {matrix(a, lda, of_a),  matrix(b, ldb, of_b), matrix(c, ldc), m, n, k,
            factor(handle, alpha), factor(handle, beta)};
  }
};

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, Gemm<T> terms, const T* a, long long a_step, const T* b, long long b_step,
                    T* c, long long c_step, int count, CallLine line) {
  WARPCELL_HANDLE(terms.is_right() && count >= 0)
  Product<T> body = terms.body(handle, a, b, c);
  body.a.next = a_step;
  body.b.next = b_step;
  body.c.next = c_step;
  return product(handle, line, body, count);
}
template <class T>
cublasStatus_t gemm_of_lists(cublasHandle_t handle, Gemm<T> terms, const T* const* a, const T* const* b, T* const* c,
                             int count, CallLine line) {
  WARPCELL_HANDLE(terms.is_right() && count >= 0)
  Product<T> body = terms.body(handle, nullptr, nullptr, nullptr);
  body.a.list = a;
  body.b.list = b;
  body.c.list = c;
  return product(handle, line, body, count);
}
template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t of_a, int m, int n, const T* alpha, const T* a, int lda,
                    const T* x, int x_step, const T* beta, T* y, int y_step, CallLine line) {
  WARPCELL_HANDLE(m >= 0 && n >= 0 && fits(lda, m) && x_step != 0 && y_step != 0)
  long long out = of_a == CUBLAS_OP_N ? m : n, in = of_a == CUBLAS_OP_N ? n : m;
  Elements<const T> of_x = elements(x, in, x_step);
  Elements<T> of_y = elements(y, out, y_step);
  Product<T> body{matrix(a, lda, of_a),  {of_x.first, of_x.step, 0}, {of_y.first, of_y.step, 0}, out, 1, in,
                  factor(handle, alpha), factor(handle, beta)};
  return product(handle, line, body, 1);
}
template <class T>
cublasStatus_t ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int x_step, const T* y, int y_step,
                   T* a, int lda, CallLine line) {
  WARPCELL_HANDLE(m >= 0 && n >= 0 && fits(lda, m) && x_step != 0 && y_step != 0)
  Elements<const T> of_x = elements(x, m, x_step), of_y = elements(y, n, y_step);
  Product<T> body{{of_x.first, of_x.step, 0},
                  {of_y.first, 0, of_y.step},
                  matrix(a, lda),
                  m,
                  n,
                  1,
                  factor(handle, alpha),
                  {T(1), nullptr}};
  return product(handle, line, body, 1);
}
template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, int n, const T* alpha,
                    const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc, CallLine line) {
  WARPCELL_HANDLE(m >= 0 && n >= 0 && fits(lda, of_a == CUBLAS_OP_N ? m : n) &&
                  fits(ldb, of_b == CUBLAS_OP_N ? m : n) && fits(ldc, m))
  Combination<T> body{matrix(a, lda, of_a),  matrix(b, ldb, of_b), matrix(c, ldc), m,
                      factor(handle, alpha), factor(handle, beta)};
  return each(handle, line, size_t(m) * n, body);
}
template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, int lda, const T* x,
                    int x_step, T* c, int ldc, CallLine line) {
  bool is_left = side == CUBLAS_SIDE_LEFT;
  WARPCELL_HANDLE(m >= 0 && n >= 0 && fits(lda, m) && fits(ldc, m))
  Scaled<T> body{matrix(a, lda), elements(x, is_left ? m : n, x_step), matrix(c, ldc), m, is_left};
  return each(handle, line, size_t(m) * n, body);
}

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int x_step, T* y, int y_step,
                    CallLine line) {
  WARPCELL_HANDLE(alpha != nullptr)
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  return each(handle, line, n, Added<T>{elements(x, n, x_step), elements(y, n, y_step), factor(handle, alpha)});
}
template <class T>
cublasStatus_t scal(cublasHandle_t handle, int n, const T* alpha, T* x, int step, CallLine line) {
  WARPCELL_HANDLE(alpha != nullptr)
  if (n <= 0 || step <= 0) return CUBLAS_STATUS_SUCCESS;
  return each(handle, line, n, Multiplied<T>{elements(x, n, step), factor(handle, alpha)});
}
template <class T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int x_step, T* y, int y_step, CallLine line) {
  WARPCELL_HANDLE(true)
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  using Body = warpcell_algorithms::Copy<Elements<const T>, Elements<T>>;
  return each(handle, line, n, Body{elements(x, n, x_step), elements(y, n, y_step)});
}
template <class T>
cublasStatus_t swap(cublasHandle_t handle, int n, T* x, int x_step, T* y, int y_step, CallLine line) {
  WARPCELL_HANDLE(true)
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  using Body = warpcell_algorithms::Swap<Elements<T>, Elements<T>>;
  return each(handle, line, n, Body{elements(x, n, x_step), elements(y, n, y_step)});
}
template <class T>
cublasStatus_t rot(cublasHandle_t handle, int n, T* x, int x_step, T* y, int y_step, const T* cosine, const T* sine,
                   CallLine line) {
  WARPCELL_HANDLE(cosine != nullptr && sine != nullptr)
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  Turned<T> body{elements(x, n, x_step), elements(y, n, y_step), factor(handle, cosine), factor(handle, sine)};
  return each(handle, line, n, body);
}

template <class T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int x_step, const T* y, int y_step, T* result,
                   CallLine line) {
  Products<T> products{elements(x, n, x_step), elements(y, n, y_step)};
  return folded<T>(handle, line, products, n, warpcell_thrust::plus<T>(), Itself(), result);
}
// Of vectors with a step below 1 these three are 0, as in BLAS.
template <class T>
cublasStatus_t asum(cublasHandle_t handle, int n, const T* x, int step, T* result, CallLine line) {
  return folded<T>(handle, line, Magnitudes<T>{{x, step}}, step < 1 ? 0 : n, warpcell_thrust::plus<T>(), Itself(),
                   result);
}
template <class T>
cublasStatus_t nrm2(cublasHandle_t handle, int n, const T* x, int step, T* result, CallLine line) {
  return folded<double>(handle, line, Squares<T>{{x, step}}, step < 1 ? 0 : n, warpcell_thrust::plus<double>(), Root(),
                        result);
}
// The number, from 1, of the first element with the largest or the least magnitude.
template <bool IsLargest, class T>
cublasStatus_t extreme(cublasHandle_t handle, int n, const T* x, int step, int* result, CallLine line) {
  using Less = warpcell_thrust::less<T>;
  long long count = step < 1 ? 0 : n;
  warpcell_algorithms::Numbers numbers;
  Magnitudes<T> sizes{{x, step}};
  if constexpr (IsLargest)
    return folded<size_t>(handle, line, numbers, count, warpcell_algorithms::Greater<Magnitudes<T>, Less>{sizes, {}},
                          FromOne(), result);
  else
    return folded<size_t>(handle, line, numbers, count, warpcell_algorithms::Lesser<Magnitudes<T>, Less>{sizes, {}},
                          FromOne(), result);
}
#undef WARPCELL_HANDLE

}  // namespace warpcell_blas

// --- between host and device

inline cublasStatus_t cublasSetVector(int n, int bytes, const void* x, int x_step, void* y, int y_step, WARPCELL_LINE) {
  if (n < 0 || bytes <= 0 || x_step <= 0 || y_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return warpcell_blas::status_of(cudaMemcpy2D(y, size_t(y_step) * bytes, x, size_t(x_step) * bytes, bytes, n,
                                               cudaMemcpyHostToDevice, warpcell_line));
}
inline cublasStatus_t cublasGetVector(int n, int bytes, const void* x, int x_step, void* y, int y_step, WARPCELL_LINE) {
  if (n < 0 || bytes <= 0 || x_step <= 0 || y_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return warpcell_blas::status_of(cudaMemcpy2D(y, size_t(y_step) * bytes, x, size_t(x_step) * bytes, bytes, n,
                                               cudaMemcpyDeviceToHost, warpcell_line));
}
inline cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb,
                                      WARPCELL_LINE) {
  if (rows < 0 || columns < 0 || bytes <= 0 || lda < rows || ldb < rows) return CUBLAS_STATUS_INVALID_VALUE;
  return warpcell_blas::status_of(cudaMemcpy2D(b, size_t(ldb) * bytes, a, size_t(lda) * bytes, size_t(rows) * bytes,
                                               columns, cudaMemcpyHostToDevice, warpcell_line));
}
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb,
                                      WARPCELL_LINE) {
  if (rows < 0 || columns < 0 || bytes <= 0 || lda < rows || ldb < rows) return CUBLAS_STATUS_INVALID_VALUE;
  return warpcell_blas::status_of(cudaMemcpy2D(b, size_t(ldb) * bytes, a, size_t(lda) * bytes, size_t(rows) * bytes,
                                               columns, cudaMemcpyDeviceToHost, warpcell_line));
}

// --- the functions of each type; templates, of which a program compiles what it calls

// clang-format off
#define WARPCELL_BLAS template <int = 0> cublasStatus_t
#define WARPCELL_OF(T, name, Iname) \
  WARPCELL_BLAS cublas##name##gemm(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, \
      int n, int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc, \
      WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::gemm<T>(handle, {of_a, of_b, m, n, k, alpha, lda, ldb, beta, ldc}, a, 0, b, 0, c, 0, 1, \
                                  line); } \
  WARPCELL_BLAS cublas##name##gemmStridedBatched(cublasHandle_t handle, cublasOperation_t of_a, \
      cublasOperation_t of_b, int m, int n, int k, const T* alpha, const T* a, int lda, long long a_step, const T* b, \
      int ldb, long long b_step, const T* beta, T* c, int ldc, long long c_step, int count, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::gemm<T>(handle, {of_a, of_b, m, n, k, alpha, lda, ldb, beta, ldc}, a, a_step, b, b_step, c, \
                                  c_step, count, line); } \
  WARPCELL_BLAS cublas##name##gemmBatched(cublasHandle_t handle, cublasOperation_t of_a, \
      cublasOperation_t of_b, int m, int n, int k, const T* alpha, const T* const a[], int lda, const T* const b[], \
      int ldb, const T* beta, T* const c[], int ldc, int count, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::gemm_of_lists<T>(handle, {of_a, of_b, m, n, k, alpha, lda, ldb, beta, ldc}, a, b, c, count, \
                                           line); } \
  WARPCELL_BLAS cublas##name##gemv(cublasHandle_t handle, cublasOperation_t of_a, int m, int n, const T* alpha, \
      const T* a, int lda, const T* x, int x_step, const T* beta, T* y, int y_step, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::gemv<T>(handle, of_a, m, n, alpha, a, lda, x, x_step, beta, y, y_step, line); } \
  WARPCELL_BLAS cublas##name##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int x_step, \
      const T* y, int y_step, T* a, int lda, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::ger<T>(handle, m, n, alpha, x, x_step, y, y_step, a, lda, line); } \
  WARPCELL_BLAS cublas##name##geam(cublasHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b, int m, \
      int n, const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc, \
      WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::geam<T>(handle, of_a, of_b, m, n, alpha, a, lda, beta, b, ldb, c, ldc, line); } \
  WARPCELL_BLAS cublas##name##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, \
      int lda, const T* x, int x_step, T* c, int ldc, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::dgmm<T>(handle, side, m, n, a, lda, x, x_step, c, ldc, line); } \
  WARPCELL_BLAS cublas##name##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int x_step, T* y, \
      int y_step, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::axpy<T>(handle, n, alpha, x, x_step, y, y_step, line); } \
  WARPCELL_BLAS cublas##name##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int step, \
      WARPCELL_LINE_OF_CALL) { return warpcell_blas::scal<T>(handle, n, alpha, x, step, line); } \
  WARPCELL_BLAS cublas##name##copy(cublasHandle_t handle, int n, const T* x, int x_step, T* y, int y_step, \
      WARPCELL_LINE_OF_CALL) { return warpcell_blas::copy<T>(handle, n, x, x_step, y, y_step, line); } \
  WARPCELL_BLAS cublas##name##swap(cublasHandle_t handle, int n, T* x, int x_step, T* y, int y_step, \
      WARPCELL_LINE_OF_CALL) { return warpcell_blas::swap<T>(handle, n, x, x_step, y, y_step, line); } \
  WARPCELL_BLAS cublas##name##rot(cublasHandle_t handle, int n, T* x, int x_step, T* y, int y_step, \
      const T* cosine, const T* sine, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::rot<T>(handle, n, x, x_step, y, y_step, cosine, sine, line); } \
  WARPCELL_BLAS cublas##name##dot(cublasHandle_t handle, int n, const T* x, int x_step, const T* y, int y_step, \
      T* result, WARPCELL_LINE_OF_CALL) { \
    return warpcell_blas::dot<T>(handle, n, x, x_step, y, y_step, result, line); } \
  WARPCELL_BLAS cublas##name##asum(cublasHandle_t handle, int n, const T* x, int step, T* result, \
      WARPCELL_LINE_OF_CALL) { return warpcell_blas::asum<T>(handle, n, x, step, result, line); } \
  WARPCELL_BLAS cublas##name##nrm2(cublasHandle_t handle, int n, const T* x, int step, T* result, \
      WARPCELL_LINE_OF_CALL) { return warpcell_blas::nrm2<T>(handle, n, x, step, result, line); } \
  WARPCELL_BLAS cublas##Iname##amax(cublasHandle_t handle, int n, const T* x, int step, int* result, \
      WARPCELL_LINE_OF_CALL) { return warpcell_blas::extreme<true, T>(handle, n, x, step, result, line); } \
  WARPCELL_BLAS cublas##Iname##amin(cublasHandle_t handle, int n, const T* x, int step, int* result, \
      WARPCELL_LINE_OF_CALL) { return warpcell_blas::extreme<false, T>(handle, n, x, step, result, line); }
// clang-format on
WARPCELL_OF(float, S, Is)
WARPCELL_OF(double, D, Id)
#undef WARPCELL_OF
#undef WARPCELL_BLAS
