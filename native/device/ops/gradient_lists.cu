// What is done to the gradients of all parameters together: their norm, cut to a limit, and the scale of a loss taken
// out again.
#include <warpcell/lists.cuh>
#include <warpcell/math.cuh>
#include <warpcell/reduce.cuh>

using namespace warpcell;

// Sums that a core keeps side by side, as vectors.
constexpr int kLanes = 32;

template <class T>
__device__ inline Sum<T> piece_squares(const Piece& piece, const T* x) {
  using A = Sum<T>;
#ifdef WARPCELL_SERIAL
  A sums[kLanes] = {};
  long long i = piece.begin;
  for (; i + kLanes <= piece.end; i += kLanes)
    for (int lane = 0; lane < kLanes; lane++) {
      const A value = A(widen<T>(x[i + lane]));
      sums[lane] += value * value;
    }
  for (; i < piece.end; i++) {
    const A value = A(widen<T>(x[i]));
    sums[0] += value * value;
  }
  A sum = 0;
  for (int lane = 0; lane < kLanes; lane++) sum += sums[lane];
  return sum;
#else
  A sums[kEach<T>] = {};
  auto add = [&](int e, T element) {
    const A value = A(widen<T>(element));
    sums[e] += value * value;
  };
  auto whole = [&](long long at) {
    const Pack<T, kEach<T> > pack = *(const Pack<T, kEach<T> >*)(x + at);
#pragma unroll
    for (int e = 0; e < kEach<T>; e++) add(e, pack.element[e]);
  };
  for_packs<T>(piece, (unsigned long long)x, whole, [&](long long i) { add(0, x[i]); });
  A sum = 0;
  for (int e = 0; e < kEach<T>; e++) sum += sums[e];
  return block_sum(sum);
#endif
}

// parts[first + block] = the sum of squares of that block's piece.
template <class T>
__global__ void square_parts(const __grid_constant__ List<1> list, int rows, long long length, double* parts,
                             int first) {
  const Piece piece = block_piece(list, rows, length);
  const Sum<T> sum = piece_squares(piece, (const T*)list.rows[piece.row].arrays[0]);
  if (threadIdx.x == 0) parts[first + blockIdx.x] = double(sum);
}

// The sum of all parts, the same in every block and in every run.
__device__ inline double all_parts(const double* parts, int count) {
#ifdef WARPCELL_SERIAL
  double sum = 0;
  for (int i = 0; i < count; i++) sum += parts[i];
  return sum;
#else
  __shared__ double all;
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum += parts[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) all = sum;
  __syncthreads();
  return all;
#endif
}

template <class T, class F>
__device__ inline void change_piece(const Piece& piece, T* x, F f) {
#ifdef WARPCELL_SERIAL
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long i = piece.begin; i < piece.end; i++) x[i] = f(x[i]);
#else
  auto whole = [&](long long at) {
    Pack<T, kEach<T> > pack = *(const Pack<T, kEach<T> >*)(x + at);
#pragma unroll
    for (int e = 0; e < kEach<T>; e++) pack.element[e] = f(pack.element[e]);
    *(Pack<T, kEach<T> >*)(x + at) = pack;
  };
  for_packs<T>(piece, (unsigned long long)x, whole, [&](long long i) { x[i] = f(x[i]); });
#endif
}

// The gradients times most / norm where that is below 1. `norm` and `wide_norm`: where the norm is written, or nullptr.
template <class T>
__global__ void cut_to_norm(const __grid_constant__ List<1> list, int rows, long long length, const double* parts,
                            int count, float* norm, double* wide_norm, double most) {
  using A = Sum<T>;
  const double value = fn::sqrt(all_parts(parts, count));
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (norm) *norm = float(value);
    if (wide_norm) *wide_norm = value;
  }
  const double share = most / (value + 1e-6);
  if (share >= 1) return;
  const A factor = A(share);
  const Piece piece = block_piece(list, rows, length);
  change_piece(piece, (T*)list.rows[piece.row].arrays[0], [factor](T x) { return narrow<T>(A(widen<T>(x)) * factor); });
}

// The gradients over the scale; `found` is set where one of them is not finite.
template <class T>
__global__ void unscale(const __grid_constant__ List<1> list, int rows, long long length, const float* scale,
                        float* found) {
  using A = Sum<T>;
  const A inverse = A(1.0 / double(*scale));
  const Piece piece = block_piece(list, rows, length);
  T* x = (T*)list.rows[piece.row].arrays[0];
  // 0 · x is NaN for what is not finite.
#ifdef WARPCELL_SERIAL
  A odd[kLanes] = {};
  long long i = piece.begin;
  for (; i + kLanes <= piece.end; i += kLanes)
    for (int lane = 0; lane < kLanes; lane++) odd[lane] += A(0) * A(widen<T>(x[i + lane]));
  for (; i < piece.end; i++) odd[0] += A(0) * A(widen<T>(x[i]));
  A sum = 0;
  for (int lane = 0; lane < kLanes; lane++) sum += odd[lane];
  change_piece(piece, x, [inverse](T value) { return narrow<T>(A(widen<T>(value)) * inverse); });
#else
  A sum = 0;
  change_piece(piece, x, [&](T value) {
    const A wide = A(widen<T>(value));
    sum += A(0) * wide;
    return narrow<T>(wide * inverse);
  });
#endif
  if (sum != sum) *found = 1;
}

// A loss's scale after a step: smaller where a gradient was not finite, larger after `interval` steps in a row without.
template <class T>
__global__ void next_scale(T* scale, int* tracker, const T* found, T growth, T backoff, int interval) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  if (*found != T(0)) {
    *scale *= backoff;
    *tracker = 0;
  } else if (*tracker + 1 >= interval) {
    const T grown = *scale * growth;
    if (T(0) * grown == T(0)) *scale = grown;
    *tracker = 0;
  } else {
    *tracker += 1;
  }
}
