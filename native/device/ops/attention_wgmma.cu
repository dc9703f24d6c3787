// Attention of 16-bit elements for Hopper (sm_90a) by warp groups. What it computes is what attention_mma.cu does.
#include <warpcell/attention/group_shapes.cuh>
#if defined(WARPCELL_SIXTEEN_BITS) && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include <warpcell/attention/group_passes.cuh>

using namespace warpcell;
using namespace warpcell::attention;

template <class T, int width, bool is_general>
__global__ void __launch_bounds__(ForwardShape<width>::kThreads, 1)
    attention_forward(const T* q, const T* k, const T* v, const void* mask, T* out, float* log_sums,
                      const __grid_constant__ Problem p) {
  group_forward_pass<T, ForwardShape<width>, width, is_general>(q, k, v, mask, out, log_sums, p);
}

template <class T, int width, bool is_general, bool is_of_keys>
__global__ void __launch_bounds__(GradientShape<width, is_of_keys>::kThreads, 1)
    attention_gradient(const T* q, const T* k, const T* v, const void* mask, const T* d_out, const float* log_sums,
                       const float* deltas, T* d_first, T* d_second, const __grid_constant__ Problem p,
                       const __grid_constant__ Gradients steps) {
  group_gradient_pass<T, GradientShape<width, is_of_keys>, width, is_general, is_of_keys>(
      q, k, v, mask, d_out, log_sums, deltas, d_first, d_second, p, steps);
}
#endif
