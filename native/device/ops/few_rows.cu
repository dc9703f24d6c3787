// Few rows by the transpose of a matrix: f(x · wᵀ + bias), where a row of either lies side by side. A GPU's warp reads
// its rows of the matrix once, 16 bytes a lane.
#include <warpcell/functors/activations.cuh>
#include <warpcell/math.cuh>
#include <warpcell/sixteen_bytes.cuh>

using namespace warpcell;

constexpr int kFewThreads = 128, kMostFewRows = 4;
enum Activation : long long { kNone, kRelu, kGelu };

__device__ inline float activated(float x, long long activation) {
  return activation == kRelu ? Relu::of(x) : activation == kGelu ? GeluTanh::of(x) : x;
}

// Rows `rows` ≤ R of x by rows of w, `O` to a warp. y and `kept`, which gets what is activated unless it is null, have
// element (row, output) at row · y_row + output · y_output. `depth` elements of a row are whole 16 bytes.
template <class T, int R, int O>
__global__ void __launch_bounds__(kFewThreads)
    few_rows(const T* x, const T* w, const T* bias, T* kept, T* y, long long rows, long long outputs, long long depth,
             long long x_step, long long w_step, long long y_row, long long y_output, long long activation) {
#ifndef WARPCELL_SERIAL
  constexpr int kElements = 16 / int(sizeof(T)), kTogether = R * O >= 4 ? 2 : 4;
  const int lane = threadIdx.x % 32;
  const long long first = ((long long)blockIdx.x * (kFewThreads / 32) + threadIdx.x / 32) * O;
  if (first >= outputs) return;
  const uint4 nothing = {0, 0, 0, 0};
  const uint4 *from[R], *of[O];
#pragma unroll
  for (int r = 0; r < R; r++) from[r] = (const uint4*)(x + (r < rows ? r : 0) * x_step);
#pragma unroll
  for (int o = 0; o < O; o++) of[o] = (const uint4*)(w + (first + o < outputs ? first + o : first) * w_step);
  float sum[R][O] = {};
  const int packs = int(depth / kElements);
  for (int base = lane; base < packs; base += 32 * kTogether) {
    uint4 weights[kTogether][O], values[kTogether][R];
#pragma unroll
    for (int u = 0; u < kTogether; u++) {
      const int at = base + u * 32;
#pragma unroll
      for (int o = 0; o < O; o++) weights[u][o] = at < packs ? of[o][at] : nothing;
#pragma unroll
      for (int r = 0; r < R; r++) values[u][r] = at < packs ? from[r][at] : nothing;
    }
#pragma unroll
    for (int u = 0; u < kTogether; u++)
#pragma unroll
      for (int e = 0; e < kElements; e++)
#pragma unroll
        for (int o = 0; o < O; o++) {
          const float weight = float_of<T>(weights[u][o], e);
#pragma unroll
          for (int r = 0; r < R; r++) sum[r][o] += float_of<T>(values[u][r], e) * weight;
        }
  }
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int o = 0; o < O; o++)
#pragma unroll
      for (int far = 16; far > 0; far /= 2) sum[r][o] += __shfl_xor_sync(0xffffffffu, sum[r][o], far);
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int o = 0; o < O; o++) {
      if (lane != r * O + o || r >= rows || first + o >= outputs) continue;
      const float z = sum[r][o] + (bias == nullptr ? 0.0f : float(widen<T>(bias[first + o])));
      const long long place = r * y_row + (first + o) * y_output;
      if (kept != nullptr) kept[place] = narrow<T>(z);
      y[place] = narrow<T>(activated(z, activation));
    }
#endif
}
