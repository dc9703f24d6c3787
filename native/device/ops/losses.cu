// Losses of a prediction x and a target t: one for each element, or their sum in one pass over both tensors; gradients
// in one pass.
#include <warpcell/functors/gates.cuh>
#include <warpcell/map.cuh>
#include <warpcell/rows.cuh>

using namespace warpcell;

template <class W>
__device__ inline W sign_of(W x) {
  return x > W(0) ? W(1) : x < W(0) ? W(-1) : x;
}

// `of` is the loss of one element, `slope` its derivative in x and `target_slope` that in t.
template <class Own>
struct OfDifference {
  template <class W>
  static __device__ inline W of(W x, W t, W parameter) {
    return Own::at(x - t, parameter);
  }
  template <class W>
  static __device__ inline W slope(W x, W t, W parameter) {
    return Own::slope_at(x - t, parameter);
  }
  template <class W>
  static __device__ inline W target_slope(W x, W t, W parameter) {
    return -slope(x, t, parameter);
  }
};
struct SquaredError : OfDifference<SquaredError> {
  template <class W>
  static __device__ inline W at(W d, W) {
    return d * d;
  }
  template <class W>
  static __device__ inline W slope_at(W d, W) {
    return W(2) * d;
  }
};
struct AbsoluteError : OfDifference<AbsoluteError> {
  template <class W>
  static __device__ inline W at(W d, W) {
    return fn::fabs(d);
  }
  template <class W>
  static __device__ inline W slope_at(W d, W) {
    return sign_of(d);
  }
};
// ½d²/β within β of 0, |d| − ½β beyond.
struct SmoothError : OfDifference<SmoothError> {
  template <class W>
  static __device__ inline W at(W d, W beta) {
    W size = fn::fabs(d);
    return size < beta ? W(0.5) * d * d / beta : size - W(0.5) * beta;
  }
  template <class W>
  static __device__ inline W slope_at(W d, W beta) {
    return fn::fabs(d) < beta ? d / beta : sign_of(d);
  }
};
// ½d² within δ of 0, δ(|d| − ½δ) beyond.
struct HuberError : OfDifference<HuberError> {
  template <class W>
  static __device__ inline W at(W d, W delta) {
    W size = fn::fabs(d);
    return size <= delta ? W(0.5) * d * d : delta * (size - W(0.5) * delta);
  }
  template <class W>
  static __device__ inline W slope_at(W d, W delta) {
    return fn::fabs(d) <= delta ? d : delta * sign_of(d);
  }
};
// −t log σ(x) − (1 − t) log(1 − σ(x)) = (1 − t)x + log(1 + e^−x), as a sum that never overflows.
struct LogitError {
  template <class W>
  static __device__ inline W of(W x, W t, W) {
    return fn::pick(x < W(0), W(0), x) - x * t + fn::log1p(fn::exp(-fn::fabs(x)));
  }
  template <class W>
  static __device__ inline W slope(W x, W t, W) {
    return Sigmoid::of(x) - t;
  }
  template <class W>
  static __device__ inline W target_slope(W x, W, W) {
    return -x;
  }
};

template <class Loss, class T>
__global__ void losses(const T* x, const T* target, T* out, long long count, double number) {
  const Wide<T> parameter = Wide<T>(number);
  map(
      count, out, [parameter](T x, T t) { return narrow<T>(Loss::of(widen<T>(x), widen<T>(t), parameter)); }, x,
      target);
}

// parts[block] = Σ of the losses of `chunk` elements, which is a multiple of 64.
template <class Loss, class T>
__global__ void loss_sums(const T* x, const T* target, Sum<T>* parts, long long count, long long chunk, double number) {
  using A = Sum<T>;
  const Wide<T> parameter = Wide<T>(number);
  const long long begin = blockIdx.x * chunk, length = count - begin < chunk ? count - begin : chunk;
  const T* a = x + begin;
  const T* b = target + begin;
  auto at = [=](T x, T t) { return Loss::of(widen<T>(x), widen<T>(t), parameter); };
#ifdef WARPCELL_SERIAL
  parts[blockIdx.x] = line<SumOf<T>>([=](long long i) { return at(a[i], b[i]); }, length, 0);
#else
  constexpr int W = 16 / sizeof(T);
  A sums[W];
#pragma unroll
  for (int e = 0; e < W; e++) sums[e] = A(0);
  long long i = threadIdx.x;
  if ((unsigned long long)a % 16 == 0 && (unsigned long long)b % 16 == 0) {
#pragma unroll 2
    for (long long pack = threadIdx.x; pack < length / W; pack += blockDim.x) {
      Pack<T, W> left = ((const Pack<T, W>*)a)[pack], right = ((const Pack<T, W>*)b)[pack];
#pragma unroll
      for (int e = 0; e < W; e++) sums[e] += at(left.element[e], right.element[e]);
    }
    i += length / W * W;
  }
  for (; i < length; i += blockDim.x) sums[0] += at(a[i], b[i]);
#pragma unroll
  for (int width = W / 2; width > 0; width /= 2) {
#pragma unroll
    for (int e = 0; e < W; e++)
      if (e < width) sums[e] += sums[e + width];
  }
  A total = block_total<SumOf<T>>(sums[0]);
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
#endif
}

// out = g · scale · slope; `g` has one element, or one for each (`each`).
template <class Loss, class T, bool of_target>
__global__ void loss_gradient(const T* g, const T* x, const T* target, T* out, long long count, int each, double scale,
                              double number) {
  using W = Wide<T>;
  const W parameter = W(number), share = W(scale);
  auto slope = [=](T x, T t) {
    if constexpr (of_target)
      return Loss::target_slope(widen<T>(x), widen<T>(t), parameter);
    else
      return Loss::slope(widen<T>(x), widen<T>(t), parameter);
  };
  if (each) {
    map(count, out, [=](T g, T x, T t) { return narrow<T>(widen<T>(g) * share * slope(x, t)); }, g, x, target);
  } else {
    const W above = widen<T>(*g) * share;
    map(count, out, [=](T x, T t) { return narrow<T>(above * slope(x, t)); }, x, target);
  }
}

template <class A>
__device__ inline void put_mean(A sum, long long count, A* mean, A* total) {
  *mean = sum / A(count);
  *total = A(count);
}

// Σ losses over how many targets are not `ignored`, of `chunk` losses a block: with several blocks as parts of both,
// which join_counted joins; one has `mean` and `total` at once.
template <class A>
__global__ void counted_mean(const A* losses, const long long* targets, A* sums, long long* counts, A* mean, A* total,
                             long long rows, long long chunk, long long ignored) {
  const long long begin = blockIdx.x * chunk, length = rows - begin < chunk ? rows - begin : chunk;
  const A* loss = losses + begin;
  const long long* target = targets + begin;
#ifdef WARPCELL_SERIAL
  const A sum = line<SumOf<A>>([=](long long i) { return loss[i]; }, length, 0);
  long long count = 0;
  for (long long i = 0; i < length; i++) count += target[i] != ignored;
#else
  A sum = A(0);
  long long count = 0;
#pragma unroll 4
  for (long long i = threadIdx.x; i < length; i += blockDim.x) {
    sum += loss[i];
    count += target[i] != ignored;
  }
  sum = block_total<SumOf<A>>(sum);
  count = block_total<SumOf<long long>>(count);
#endif
  if (threadIdx.x > 0) return;
  if (gridDim.x == 1)
    put_mean(sum, count, mean, total);
  else
    sums[blockIdx.x] = sum, counts[blockIdx.x] = count;
}

template <class A>
__global__ void join_counted(const A* sums, const long long* counts, A* mean, A* total, long long parts) {
#ifdef WARPCELL_SERIAL
  const A sum = line<SumOf<A>>([=](long long i) { return sums[i]; }, parts, 0);
  long long count = 0;
  for (long long i = 0; i < parts; i++) count += counts[i];
#else
  A sum = A(0);
  long long count = 0;
  for (long long i = threadIdx.x; i < parts; i += blockDim.x) sum += sums[i], count += counts[i];
  sum = block_total<SumOf<A>>(sum);
  count = block_total<SumOf<long long>>(count);
#endif
  if (threadIdx.x == 0) put_mean(sum, count, mean, total);
}
