// Attention of floats on tensor cores (sm_80 and newer): attention_mma.cu's passes, with products of floats
// (attention/float_products.cuh).
#ifndef WARPCELL_CPU
#include <warpcell/attention/float_products.cuh>
#include <warpcell/attention/warp_passes.cuh>
#endif

// Two blocks of a multiprocessor share 227 KB, and what a warp holds fits its registers.
template <int width>
struct ForwardShape {
  static constexpr int kWidth = width;
  static constexpr int kFragments = width > 128 ? 1 : 2, kWarps = width > 128 ? 8 : 4;
  static constexpr int kQueries = 16 * kFragments * kWarps, kKeys = width > 128 ? 16 : width > 64 ? 32 : 64;
  static constexpr int kThreads = 32 * kWarps, kShared = (kQueries + 2 * kKeys) * width * 4;
};
template <int width, bool is_of_keys>
struct GradientShape {
  static constexpr int kWidth = width;
  static constexpr bool kIsOfKeys = is_of_keys;
  static constexpr int kWarps = 4, kThreads = 32 * kWarps, kKept = 16 * kWarps;
  static constexpr int kPassing = width > 128 ? 16 : width > 64 ? 32 : 64, kStages = width > 64 ? 1 : 2;
  static constexpr int kTiles = (2 * kKept + 2 * kStages * kPassing) * width * 4;
  static constexpr int kShared = kTiles + kStages * kPassing * 8;
  static constexpr int kPart = is_of_keys && width > 128 ? 128 : width, kParts = width / kPart;
};

#ifndef WARPCELL_CPU
using namespace warpcell;
using namespace warpcell::attention;

// `width`: that of a row, or the next of 32, 64, 128 and 256. `is_exact`: by three products.
template <class T, int width, bool is_general, bool is_exact>
__global__ void __launch_bounds__(ForwardShape<width>::kThreads, width > 128 ? 1 : 2)
    attention_forward(const T* q, const T* k, const T* v, const void* mask, T* out, float* log_sums, Problem p) {
  forward_pass<FloatProducts<is_exact>, ForwardShape<width>, is_general>(q, k, v, mask, out, log_sums, p);
}

template <class T, int width, bool is_general, bool is_of_keys, bool is_exact>
__global__ void __launch_bounds__(GradientShape<width, is_of_keys>::kThreads, width > 128 ? 1 : 2)
    attention_gradient(const T* q, const T* k, const T* v, const void* mask, const T* d_out, const float* log_sums,
                       const float* deltas, T* d_first, T* d_second, Problem p, Gradients steps) {
  gradient_pass<FloatProducts<is_exact>, GradientShape<width, is_of_keys>, is_general>(
      q, k, v, mask, d_out, log_sums, deltas, d_first, d_second, p, steps);
}
#endif
