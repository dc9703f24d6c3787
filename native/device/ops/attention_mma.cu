// Attention of 16-bit elements on tensor cores (sm_80 and newer): softmax(q · kᵀ · scale) · v and its gradients,
// without ever holding the scores of all pairs (Dao, FlashAttention-2, arXiv 2307.08691). Sums are floats; results do
// not depend on the order in which blocks run.
#include <warpcell/attention/half_shapes.cuh>
#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_CPU)
#include <warpcell/attention/half_products.cuh>
#include <warpcell/attention/warp_passes.cuh>
#endif

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
