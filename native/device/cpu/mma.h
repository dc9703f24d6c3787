// <mma.h> for a cell: nvcuda::wmma, the matrix products of a warp. (Programming Guide, "Warp Matrix Functions".) Products are exact in the accumulator's
// arithmetic (float for 16-bit and tf32 operands, int, double), and added to it one after another, from the first column of A to the last.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "warpcell_cpu/warps.h"

#define WARPCELL_CPU_MEMBER inline __attribute__((always_inline))

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

}  // namespace wmma
}  // namespace nvcuda

namespace warpcell_cpu {

template <class T> struct MatrixElement { using type = T; using wide = float; };
template <> struct MatrixElement<nvcuda::wmma::precision::tf32> { using type = float; using wide = float; };
template <> struct MatrixElement<signed char> { using type = signed char; using wide = int; };
template <> struct MatrixElement<char> { using type = char; using wide = int; };
template <> struct MatrixElement<unsigned char> { using type = unsigned char; using wide = int; };
template <> struct MatrixElement<int> { using type = int; using wide = int; };
template <> struct MatrixElement<double> { using type = double; using wide = double; };

// A number as it goes into a product: of tf32 only the upper 19 bits count.
template <class T, class E>
WARPCELL_CPU_FN typename MatrixElement<T>::wide operand(E x) {
  if constexpr (is_same<T, nvcuda::wmma::precision::tf32>) return from_bits<float>(to_bits(x) & 0xffffe000u);
  else return typename MatrixElement<T>::wide(x);
}

template <class Use, int M, int N, int K> struct MatrixSize;
template <int M, int N, int K> struct MatrixSize<nvcuda::wmma::matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct MatrixSize<nvcuda::wmma::matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };
template <int M, int N, int K> struct MatrixSize<nvcuda::wmma::accumulator, M, N, K> { static constexpr int rows = M, columns = N; };

template <int M, int N, int K, class A, class B> constexpr bool is_matrix_shape = M * N == 256 && K == 16 && (M == 16 || M == 32 || M == 8);
template <> constexpr bool is_matrix_shape<16, 16, 8, nvcuda::wmma::precision::tf32, nvcuda::wmma::precision::tf32> = true;
template <> constexpr bool is_matrix_shape<8, 8, 4, double, double> = true;

// Where the fragments of each warp's lanes are while their product is computed: a lane's stack can be read by every other one of its block.
struct Fragments {
  const void *a, *b, *c;
  void* d;
};
static __thread Fragments fragments[kMaxThreads / kLanes][kLanes];

}  // namespace warpcell_cpu

namespace nvcuda {
namespace wmma {

// Each lane has the elements that follow one another in the matrix, row by row.
template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
 public:
  using element_type = typename warpcell_cpu::MatrixElement<T>::type;
  using storage_element_type = element_type;
  using Size = warpcell_cpu::MatrixSize<Use, M, N, K>;
  static constexpr int num_elements = Size::rows * Size::columns / 32, num_storage_elements = num_elements;
  element_type x[num_elements];
};

WARPCELL_CPU_FN float __float_to_tf32(float value) {
  using namespace warpcell_cpu;
  if (value != value || value - value != 0) return value;
  return from_bits<float>((to_bits(value) + 0x1000u) & 0xffffe000u);   // ties away from zero
}

template <class Use, int M, int N, int K, class T, class Layout, class Value>
WARPCELL_CPU_FN void fill_fragment(fragment<Use, M, N, K, T, Layout>& target, const Value& value) {
  for (auto& element : target.x) element = typename fragment<Use, M, N, K, T, Layout>::element_type(value);
}

// Calls `visit(element, index)` with where each element of the lane lies in memory.
template <class Fragment, class Visit>
WARPCELL_CPU_FN void warpcell_cpu_elements(Fragment& target, unsigned stride, bool is_by_row, Visit visit) {
  const unsigned first = warpcell_cpu::linear_thread() % 32 * Fragment::num_elements;
  for (unsigned i = 0; i < unsigned(Fragment::num_elements); i++) {
    const unsigned row = (first + i) / Fragment::Size::columns, column = (first + i) % Fragment::Size::columns;
    visit(target.x[i], is_by_row ? row * stride + column : row + column * stride);
  }
}

template <class Use, int M, int N, int K, class T, class Layout, class Element>
WARPCELL_CPU_FN void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& target, const Element* from, unsigned stride, unsigned line = __builtin_LINE()) {
  __syncwarp(0xffffffffu, line);
  warpcell_cpu_elements(target, stride, warpcell_cpu::is_same<Layout, row_major>, [&](auto& element, unsigned at) { element = from[at]; });
}
template <int M, int N, int K, class T, class Element>
WARPCELL_CPU_FN void load_matrix_sync(fragment<accumulator, M, N, K, T>& target, const Element* from, unsigned stride, layout_t layout, unsigned line = __builtin_LINE()) {
  __syncwarp(0xffffffffu, line);
  warpcell_cpu_elements(target, stride, layout == mem_row_major, [&](auto& element, unsigned at) { element = from[at]; });
}
template <int M, int N, int K, class T, class Element>
WARPCELL_CPU_FN void store_matrix_sync(Element* to, const fragment<accumulator, M, N, K, T>& source, unsigned stride, layout_t layout, unsigned line = __builtin_LINE()) {
  warpcell_cpu_elements(source, stride, layout == mem_row_major, [&](const auto& element, unsigned at) { to[at] = element; });
  __syncwarp(0xffffffffu, line);
}

// The first lane computes for all: d = a · b + c.
template <int M, int N, int K, class D, class A, class LayoutA, class B, class LayoutB, class C>
inline void warpcell_cpu_product(const warpcell_cpu::Fragments* lanes) {
  using FragmentA = fragment<matrix_a, M, N, K, A, LayoutA>;
  using FragmentB = fragment<matrix_b, M, N, K, B, LayoutB>;
  using FragmentC = fragment<accumulator, M, N, K, C>;
  using FragmentD = fragment<accumulator, M, N, K, D>;
  using Wide = typename warpcell_cpu::MatrixElement<A>::wide;
  Wide a[M * K], b[K * N], sum[M * N];
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < FragmentA::num_elements; i++) a[lane * FragmentA::num_elements + i] = warpcell_cpu::operand<A>(static_cast<const FragmentA*>(lanes[lane].a)->x[i]);
    for (int i = 0; i < FragmentB::num_elements; i++) b[lane * FragmentB::num_elements + i] = warpcell_cpu::operand<B>(static_cast<const FragmentB*>(lanes[lane].b)->x[i]);
    for (int i = 0; i < FragmentC::num_elements; i++) sum[lane * FragmentC::num_elements + i] = Wide(static_cast<const FragmentC*>(lanes[lane].c)->x[i]);
  }
  for (int row = 0; row < M; row++)
    for (int k = 0; k < K; k++)
      for (int column = 0; column < N; column++) sum[row * N + column] += a[row * K + k] * b[k * N + column];
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < FragmentD::num_elements; i++)
      static_cast<FragmentD*>(lanes[lane].d)->x[i] = typename FragmentD::element_type(sum[lane * FragmentD::num_elements + i]);
}

template <int M, int N, int K, class D, class A, class LayoutA, class B, class LayoutB, class C>
WARPCELL_CPU_FN void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, A, LayoutA>& a,
                              const fragment<matrix_b, M, N, K, B, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c, bool = false,
                              unsigned line = __builtin_LINE()) {
  static_assert(warpcell_cpu::is_matrix_shape<M, N, K, A, B>,
                "wmma has the shapes 16 x 16 x 16, 32 x 8 x 16 and 8 x 32 x 16 of 16-bit floats and bytes, 16 x 16 x 8 of tf32 and 8 x 8 x 4 of double.");
  const unsigned thread = warpcell_cpu::linear_thread();
  warpcell_cpu::Fragments* const lanes = warpcell_cpu::fragments[thread / 32];
  lanes[thread % 32] = {&a, &b, &c, &d};
  __syncwarp(0xffffffffu, line);
  if (thread % 32 == 0) warpcell_cpu_product<M, N, K, D, A, LayoutA, B, LayoutB, C>(lanes);
  __syncwarp(0xffffffffu, line);
}

}  // namespace wmma
}  // namespace nvcuda
