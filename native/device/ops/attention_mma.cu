// Attention of 16-bit elements on tensor cores (sm_80 and newer): softmax(q · kᵀ · scale) · v and its gradients,
// without ever holding the scores of all pairs (Dao, FlashAttention-2, arXiv 2307.08691). Sums are floats; results do
// not depend on the order in which blocks run.
#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_CPU)
#include <warpcell/attention/half_products.cuh>
#include <warpcell/attention/warp_passes.cuh>
#endif

// The rows that a warp holds are what each element of the other operand is read once for from shared memory.
template <int width>
struct ForwardShape {
  static constexpr int kWidth = width;
  static constexpr int kFragments = width > 128 ? 1 : 2, kWarps = width > 128 ? 8 : 4;
  static constexpr int kQueries = 16 * kFragments * kWarps, kKeys = width > 128 ? 32 : 64;
  static constexpr int kThreads = 32 * kWarps, kShared = (kQueries + 2 * kKeys) * width * 2;
};

// A block keeps two tiles and goes over the others: keys and values past all queries that see them, or queries and
// gradients of results past all keys that they see.
template <int width, bool is_of_keys>
struct GradientShape {
  static constexpr int kWidth = width;
  static constexpr bool kIsOfKeys = is_of_keys;
  static constexpr int kWarps = 4, kThreads = 32 * kWarps, kKept = 16 * kWarps;
  static constexpr int kPassing = width > 128 ? 32 : 64, kStages = width > 128 ? 1 : 2;
  static constexpr int kTiles = (2 * kKept + 2 * kStages * kPassing) * width * 2;
  static constexpr int kShared = kTiles + kStages * kPassing * 8;
  // Columns of gradients of keys and of values that a block makes: both are in registers.
  static constexpr int kPart = is_of_keys && width > 128 ? 128 : width, kParts = width / kPart;
};

#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_CPU)
using namespace warpcell;
using namespace warpcell::attention;

// `width`: that of a row, or the next of 64, 128 and 256.
template <class T, int width, bool is_general>
__global__ void __launch_bounds__(ForwardShape<width>::kThreads, width > 128 ? 1 : 2)
    attention_forward(const T* q, const T* k, const T* v, const void* mask, T* out, float* log_sums, Problem p) {
  forward_pass<HalfProducts<T>, ForwardShape<width>, is_general>(q, k, v, mask, out, log_sums, p);
}

template <class T, int width, bool is_general, bool is_of_keys>
__global__ void __launch_bounds__(GradientShape<width, is_of_keys>::kThreads, width > 128 ? 1 : 2)
    attention_gradient(const T* q, const T* k, const T* v, const void* mask, const T* d_out, const float* log_sums,
                       const float* deltas, T* d_first, T* d_second, Problem p, Gradients steps) {
  gradient_pass<HalfProducts<T>, GradientShape<width, is_of_keys>, is_general>(q, k, v, mask, d_out, log_sums, deltas,
                                                                               d_first, d_second, p, steps);
}
#endif
