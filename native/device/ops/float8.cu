// Floats rounded to 8 bits by a scale that the steps before this one tell, in one pass that notes what the next ones
// will need.
#include <warpcell/batches.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/reduce.cuh>

using namespace warpcell;

constexpr int kFloat8Threads = 256;
// Elements that a thread takes side by side.
constexpr int kFloat8Each = 4;
// Threads of a block that looks at a history, the longest there is.
constexpr int kFloat8History = 1024;
// What a history has for a step that showed nothing but zeros.
constexpr int kFloat8None = -1000;

template <class F>
constexpr float kFloat8Most = same<F, float8_e5m2> ? 57344.0f : 448.0f;

// The least power of 2 that `most` times is no less than a size, which is finite; both largest numbers are 0.875 times
// a power of 2. Within what has an inverse among normal numbers.
template <class F>
__device__ inline int exponent_of(float size) {
  constexpr int top = same<F, float8_e5m2> ? 15 : 8;
  const uint bits = float_bits(size);
  const int least = int(bits >> 23) - 127 - top + ((bits & 0x7fffff) > 0x600000 ? 1 : 0);
  return size == 0 ? kFloat8None : least < -126 ? -126 : least;
}

// scale = 2^(the largest of history + margin), of 1 where all are zeros; where a step begins, the oldest leaves.
template <class F>
__global__ void __launch_bounds__(kFloat8History)
    delayed_scale(int* history, float* scale, int length, int margin, int begins) {
#ifdef WARPCELL_SERIAL
  int most = kFloat8None;
  for (int step = length - 1; step >= 0; step--) {
    most = history[step] > most ? history[step] : most;
    if (begins) history[step] = step > 0 ? history[step - 1] : kFloat8None;
  }
#else
  const int step = threadIdx.x;
  const int own = step < length ? history[step] : kFloat8None;
  // Its barriers stand between what is read and what is written.
  const int most = block_max(own);
  __syncthreads();
  if (begins && step + 1 < length) history[step + 1] = own;
  if (begins && step == 0) history[0] = kFloat8None;
#endif
  if (threadIdx.x > 0) return;
  const int exponent = (most == kFloat8None ? 0 : most) + margin;
  *scale = bits_float(uint(127 + (exponent < -126 ? -126 : exponent > 126 ? 126 : exponent)) << 23);
}

// out = x / scale, to nearest even; beyond the largest number that, NaN of an infinity where F has none. `noted`: the
// step's place in a history, or nullptr.
template <class T, class F>
__global__ void __launch_bounds__(kFloat8Threads)
    delayed_round(const T* x, const float* scale, F* out, int* noted, long long count) {
  constexpr float most = kFloat8Most<F>;
  const float inverse = 1.0f / *scale;
  float largest = 0;
  auto rounded = [&](T element) WARPCELL_INLINED {
    const float value = widen<T>(element);
    const float size = bits_float(float_bits(value) & 0x7fffffff);
    const bool is_finite = float_bits(size) < 0x7f800000;
    largest = is_finite && size > largest ? size : largest;
    const float ratio = value * inverse;
    const float inside = ratio > most ? most : ratio < -most ? -most : ratio;
    const float odd = same<F, float8_e4m3> ? bits_float(0x7fc00000) : value;
    return narrow<F>(is_finite ? inside : odd);
  };
#ifdef WARPCELL_SERIAL
  const long long share = (count + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < count ? begin + share : count;
  for (long long at = begin; at < end; at++) out[at] = rounded(x[at]);
  if (noted && largest > 0) atomicMax(noted, exponent_of<F>(largest));
#else
  using From = Pack<T, kFloat8Each>;
  using To = Pack<F, kFloat8Each>;
  const bool is_aligned = (uint64)x % sizeof(From) == 0 && (uint64)out % sizeof(To) == 0;
  const long long packs = is_aligned ? count / kFloat8Each : 0;
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x, step = (long long)gridDim.x * blockDim.x;
  for (long long pack = first; pack < packs; pack += step) {
    const From read = ((const From*)x)[pack];
    To written;
#pragma unroll
    for (int e = 0; e < kFloat8Each; e++) written.element[e] = rounded(read.element[e]);
    ((To*)out)[pack] = written;
  }
  for (long long at = packs * kFloat8Each + first; at < count; at += step) out[at] = rounded(x[at]);
  if (noted == nullptr) return;
  const float all = block_max(largest);
  if (threadIdx.x == 0 && all > 0) atomicMax(noted, exponent_of<F>(all));
#endif
}
