// Functions of complex numbers: the functors of functors/complex.cuh on each element, in float64.
#include <warpcell/functors/complex.cuh>
#include <warpcell/map.cuh>

using namespace warpcell;

template <class C>
__device__ inline Point64 widened_point(C z) {
  return {double(z.re), double(z.im)};
}
template <class C>
__device__ inline C narrowed_point(Point64 z) {
  using Part = decltype(C::re);
  return {Part(z.re), Part(z.im)};
}

// `use(i)` for each element.
template <class Use>
__device__ inline void each_point(long long count, Use use) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  for (long long i = span.begin; i < span.end; i++) use(i);
#else
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) use(i);
#endif
}

// C: complex64 or complex128; operands lie without gaps.
template <class Op, class C>
__global__ void complex_unary(const C* in, C* out, long long count) {
  each_point(count, [=](long long i) { out[i] = narrowed_point<C>(Op::of(widened_point(in[i]))); });
}
template <class Op, class C>
__global__ void complex_binary(const C* a, const C* b, C* out, long long count) {
  each_point(count, [=](long long i) { out[i] = narrowed_point<C>(Op::of(widened_point(a[i]), widened_point(b[i]))); });
}
