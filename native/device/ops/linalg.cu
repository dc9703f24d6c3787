// What linear algebra does beside the calls of libraries: triangles of matrices, determinants from their factors, NaN
// in factors, and which of a batch could not be factorised.
#include <warpcell/map.cuh>

using namespace warpcell;

// On a GPU: threads of the block that looks through a batch.
constexpr int kLooking = 256;

// out[b][i][j] = in[b][i][j] on and below (is_lower) or above the diagonal that lies `offset` above the main one, else
// 0.
template <class T>
__global__ void triangle(const T* in, T* out, long long count, long long rows, long long columns, long long matrix_step,
                         long long row_step, long long column_step, long long offset, int is_lower) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  for (long long i = span.begin; i < span.end;) {
    const long long line = i / columns, row = line % rows, first = i - line * columns;
    const long long end = columns - first < span.end - i ? columns : first + (span.end - i);
    const T* from = in + line / rows * matrix_step + row * row_step;
    T* to = out + line * columns;
    const long long border = row + offset + (is_lower ? 1 : 0);
    const long long middle = border < first ? first : border > end ? end : border;
    if (is_lower) {
      for (long long j = first; j < middle; j++) to[j] = from[j * column_step];
      for (long long j = middle; j < end; j++) to[j] = T{};
    } else {
      for (long long j = first; j < middle; j++) to[j] = T{};
      for (long long j = middle; j < end; j++) to[j] = from[j * column_step];
    }
    i += end - first;
  }
#else
  // Numbers of 32 bits are divided in a tenth of the time.
  const bool is_small = count < 1ll << 31;
  for (long long i = global_index(); i < count; i += (long long)gridDim.x * blockDim.x) {
    const long long line = is_small ? (long long)(uint(i) / uint(columns)) : i / columns, column = i - line * columns;
    const long long matrix = is_small ? (long long)(uint(line) / uint(rows)) : line / rows, row = line - matrix * rows;
    const bool is_inside = is_lower ? column <= row + offset : column >= row + offset;
    out[i] = is_inside ? in[matrix * matrix_step + row * row_step + column * column_step] : T{};
  }
#endif
}

// A product of many factors, which neither overflows nor underflows on its way: mantissa · 2^exponent.
struct Scaled {
  double mantissa;
  long long exponent;
  __device__ inline Scaled times(Scaled other) const {
    int shift;
    double product = frexp(mantissa * other.mantissa, &shift);
    return {product, exponent + other.exponent + shift};
  }
};

// Of each matrix of n rows the determinant, or its sign and the logarithm of its magnitude (what is null is not
// wanted), from its factors as LAPACK's getrf leaves them. On a GPU a warp has a matrix.
template <class T>
__global__ void determinants(const T* factors, const int* pivots, T* whole, T* sign, T* logarithm, long long count,
                             long long n) {
#ifdef WARPCELL_SERIAL
  constexpr int kLanes = 1;
  Span span = {(long long)blockIdx.x * count / gridDim.x, ((long long)blockIdx.x + 1) * count / gridDim.x};
  const int lane = 0;
#else
  constexpr int kLanes = 32;
  const int lane = threadIdx.x % kLanes;
  const long long first = global_index() / kLanes;
  Span span = {first, first < count ? first + 1 : first};
#endif
  for (long long matrix = span.begin; matrix < span.end; matrix++) {
    Scaled product = {1, 0};
    for (long long i = lane; i < n; i += kLanes) {
      const double factor = factors[(matrix * n + i) * n + i];
      product = product.times({pivots[matrix * n + i] == i + 1 ? factor : -factor, 0});
    }
#ifndef WARPCELL_SERIAL
    for (int step = kLanes / 2; step > 0; step /= 2)
      product =
          product.times({__shfl_xor_sync(~0u, product.mantissa, step), __shfl_xor_sync(~0u, product.exponent, step)});
#endif
    if (lane != 0) continue;
    const double size = fabs(product.mantissa);
    const long long most = 4096, exponent = product.exponent < -most  ? -most
                                            : product.exponent > most ? most
                                                                      : product.exponent;
    if (whole != nullptr) whole[matrix] = T(ldexp(product.mantissa, int(exponent)));
    if (sign == nullptr) continue;
    sign[matrix] =
        T(product.mantissa != product.mantissa ? product.mantissa : (product.mantissa > 0) - (product.mantissa < 0));
    logarithm[matrix] = T(log(size) + double(product.exponent) * 0.69314718055994530942);
  }
}

// The same of a product of complex numbers.
struct ScaledPoint {
  double re, im;
  long long exponent;
  __device__ inline ScaledPoint times(ScaledPoint other) const {
    const double x = re * other.re - im * other.im, y = re * other.im + im * other.re;
    int shift;
    frexp(fabs(x) > fabs(y) ? fabs(x) : fabs(y), &shift);
    return {ldexp(x, -shift), ldexp(y, -shift), exponent + other.exponent + shift};
  }
};

template <class C>
using PartOf = decltype(C::re);

// determinants of complex numbers, whose sign is of size 1; the logarithms are real. A thread has a matrix.
template <class C>
__global__ void complex_determinants(const C* factors, const int* pivots, C* whole, C* sign, PartOf<C>* logarithm,
                                     long long count, long long n) {
  using Part = PartOf<C>;
#ifdef WARPCELL_SERIAL
  Span span = {(long long)blockIdx.x * count / gridDim.x, ((long long)blockIdx.x + 1) * count / gridDim.x};
  const long long step = 1;
#else
  Span span = {global_index(), count};
  const long long step = (long long)gridDim.x * blockDim.x;
#endif
  for (long long matrix = span.begin; matrix < span.end; matrix += step) {
    ScaledPoint product = {1, 0, 0};
    for (long long i = 0; i < n; i++) {
      const C factor = factors[(matrix * n + i) * n + i];
      const double turn = pivots[matrix * n + i] == i + 1 ? 1 : -1;
      product = product.times({turn * factor.re, turn * factor.im, 0});
    }
    const long long most = 4096, exponent = product.exponent < -most  ? -most
                                            : product.exponent > most ? most
                                                                      : product.exponent;
    if (whole != nullptr)
      whole[matrix] = {Part(ldexp(product.re, int(exponent))), Part(ldexp(product.im, int(exponent)))};
    if (sign == nullptr) continue;
    const double size = hypot(product.re, product.im), over = size == 0 ? 1 : size;
    sign[matrix] = {Part(product.re / over), Part(product.im / over)};
    logarithm[matrix] = Part(log(size) + double(product.exponent) * 0.69314718055994530942);
  }
}

// orders[b][i]: the row that `exchanges` by pivots, counted from 1, one after the other, bring to place i of 0 … rows −
// 1; or, inverse, the place that row i comes to.
__global__ void row_orders(const int* pivots, long long* orders, long long count, long long exchanges, long long rows,
                           int is_inverse) {
#ifdef WARPCELL_SERIAL
  const Span span = block_span(count);
  const long long step = 1;
#else
  const Span span = {global_index(), count};
  const long long step = (long long)gridDim.x * blockDim.x;
#endif
  for (long long matrix = span.begin; matrix < span.end; matrix += step) {
    const int* own = pivots + matrix * exchanges;
    long long* order = orders + matrix * rows;
    for (long long i = 0; i < rows; i++) order[i] = i;
    // The exchanges undone from the last on are the inverse.
    for (long long k = 0; k < exchanges; k++) {
      const long long i = is_inverse ? exchanges - 1 - k : k, other = own[i] - 1, kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
  }
}

#ifndef WARPCELL_SERIAL
template <class T>
__device__ inline bool is_nan(T x) {
  return x != x;
}
__device__ inline bool is_nan(complex64 z) { return z.re != z.re || z.im != z.im; }
__device__ inline bool is_nan(complex128 z) { return z.re != z.re || z.im != z.im; }
template <class T>
__device__ inline bool is_zero(T x) {
  return x == 0;
}
__device__ inline bool is_zero(complex64 z) { return z.re == 0 && z.im == 0; }
__device__ inline bool is_zero(complex128 z) { return z.re == 0 && z.im == 0; }
template <class T>
__device__ inline T missing() {
  return {decltype(T::re)(__int_as_float(0x7fffffff)), decltype(T::re)(__int_as_float(0x7fffffff))};
}
template <>
__device__ inline float missing<float>() {
  return __int_as_float(0x7fffffff);
}
template <>
__device__ inline double missing<double>() {
  return double(__int_as_float(0x7fffffff));
}
#endif

// marks[b] = 1 where one of the `size` elements of matrix b is NaN. For GPUs alone, whose library loses it.
template <class T>
__global__ void mark_nan(const T* in, int* marks, long long count, long long size) {
#ifndef WARPCELL_SERIAL
  for (long long i = global_index(); i < count; i += (long long)gridDim.x * blockDim.x)
    if (is_nan(in[i])) atomicExch(marks + i / size, 1);
#endif
}

// Fills the diagonals, of n elements, of those factors l · u with NaN that have a mark of mark_nan. status: the first
// column of a matrix without a pivot, counted from 1, else 0. A block has a matrix of `size` elements in columns, or
// rows, of `line`.
template <class T>
__global__ void check_factors(T* factors, const int* marks, int* status, long long n, long long line, long long size) {
#ifndef WARPCELL_SERIAL
  __shared__ int first;
  T* own = factors + (long long)blockIdx.x * size;
  const bool is_marked = marks[blockIdx.x] != 0;
  if (threadIdx.x == 0) first = int(n);
  __syncthreads();
  for (long long i = threadIdx.x; i < n; i += blockDim.x) {
    if (is_marked)
      own[i * line + i] = missing<T>();
    else if (is_zero(own[i * line + i]))
      atomicMin(&first, int(i));
  }
  __syncthreads();
  if (threadIdx.x == 0) status[blockIdx.x] = first < n ? first + 1 : 0;
#endif
}

// The first of `count` that is not 0, as its number · 2^32 + its value; where all are 0, nothing is said. One block.
__global__ void tell_failure(const int* status, long long count, long long* told) {
#ifdef WARPCELL_SERIAL
  for (long long i = 0; i < count; i++) {
    if (status[i] == 0) continue;
    *(volatile long long*)told = (i << 32) | (unsigned)status[i];
    return;
  }
#else
  __shared__ long long firsts[kLooking];
  long long mine = count;
  for (long long i = threadIdx.x; i < count && mine == count; i += kLooking) {
    if (status[i] != 0) mine = i;
  }
  firsts[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 1; i < kLooking; i++) mine = firsts[i] < mine ? firsts[i] : mine;
  if (mine < count) *(volatile long long*)told = (mine << 32) | (unsigned)status[mine];
#endif
}
