// One result per index, as fast as memory allows: on a GPU 16 bytes a thread and load, on a CPU plain loops over a
// range a block, which compilers vectorise.
#pragma once
#include "batches.cuh"
#include "layout.cuh"
#include "stretches.cuh"

namespace warpcell {

// The part of `count` indices that is this block's, on the CPU: blocks of one thread each take neighbours.
struct Span {
  long long begin, end;
};
__device__ inline Span block_span(long long count) {
  long long part = ((count + gridDim.x - 1) / gridDim.x + 63) / 64 * 64;
  long long begin = (long long)blockIdx.x * part;
  long long end = begin + part < count ? begin + part : count;
  return {begin, end};
}

// out[i] = f(in[i]…) for i < count. Operands lie without gaps; `out` may be one of them. `light`: f is short enough to
// stand in a kernel once for each element of a thread's vectors; a long one stands there once, or a file of them would
// take minutes to compile.
template <bool light = true, class Out, class F, class... In>
__device__ inline void map(long long count, Out* out, F f, const In*... in) {
#ifdef WARPCELL_SERIAL
  Span span = block_span(count);
  if (is_streamed(count, out, in...)) {
    stream_each(out + span.begin, span.end - span.begin, [=](long long i) { return f(in[span.begin + i]...); });
    return end_streaming();
  }
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long i = span.begin; i < span.end; i++) out[i] = f(in[i]...);
#else
  batched_map<light>(count, out, f, in...);
#endif
}

#ifdef WARPCELL_SERIAL
// Calls stretch(its place in out, its length, its part of each operand…) for this block's part of `count` results.
template <class Out, class Stretch, class... In>
inline void map_stretches(long long count, Out* out, Stretch stretch, const In*... in) {
  Span span = block_span(count);
  const bool streams = is_streamed(count, out, in...);
  alignas(kLineBytes) Out results[kStretchLength];
  for (long long first = span.begin; first < span.end; first += kStretchLength) {
    const long long length = span.end - first < kStretchLength ? span.end - first : kStretchLength;
    stretch(streams ? results : out + first, length, in + first...);
    if (streams) store_streaming(out + first, results, length * (long long)sizeof(Out));
  }
  if (streams) end_streaming();
}
#endif

// out[i] = f(in[i]…) as `map`, where f takes and gives numbers of the types that elements compute in.
template <class Out, class F, class... In>
__device__ inline void map_numbers(long long count, Out* out, F f, const In*... in) {
#ifdef WARPCELL_SERIAL
  if constexpr (is_held<Out> || (is_held<In> || ...)) {
    return map_stretches(
        count, out,
        [f](Out* to, long long length, const In*... part) {
          auto one = [&](const auto&... x) { put_stretch(to, length, [&](long long i) { return f(x[i]...); }); };
          one(Widened<In>(part, length)...);
        },
        in...);
  }
#endif
  map(count, out, [f](In... x) { return narrow<Out>(f(widen<In>(x)...)); }, in...);
}

// The same of an operand whose rows lie apart.
template <class Out, class F, class In>
__device__ inline void map_rows(const Plane& plane, long long count, Out* out, F f, const In* in) {
#ifdef WARPCELL_SERIAL
  if (plane.step == 1 && (plane.row == plane.length || plane.length >= count)) return map_numbers(count, out, f, in);
  Span span = block_span(count);
  gather_stretches(
      span.begin, span.end, Placed<Out>(out, {count, count, 1}),
      [f](Out* to, long long length, const In* part) {
        const Widened<In> x(part, length);
        put_stretch(to, length, [&](long long i) { return f(x[i]); });
      },
      Source<In>(in, plane));
#else
  batched_rows<true>(plane, count, out, [f](In x) { return narrow<Out>(f(widen<In>(x))); }, in);
#endif
}

// Calls `row(offsets, steps)` for each stretch of the last axis in this block's part of `count` indices, on the CPU.
template <int N, class Row>
__device__ inline void for_rows(const Layout<N>& layout, long long count, Row row) {
  Span span = block_span(count);
  if (span.begin >= span.end) return;
  const int inner = layout.rank - 1;
  long long position[kMaxRank];
  long long rest = span.begin;
  Offsets<N> offsets = {};
  for (int axis = inner; axis >= 0; axis--) {
    position[axis] = axis > 0 ? rest % layout.shape[axis] : rest;
    rest /= layout.shape[axis];
    for (int n = 0; n < N; n++) offsets.at[n] += position[axis] * layout.strides[n][axis];
  }
  for (long long index = span.begin; index < span.end;) {
    long long steps = layout.shape[inner] - position[inner];
    if (steps > span.end - index) steps = span.end - index;
    row(offsets, steps);
    index += steps;
    for (int n = 0; n < N; n++) offsets.at[n] -= position[inner] * layout.strides[n][inner];
    position[inner] = 0;
    for (int axis = inner - 1; axis >= 0; axis--) {
      for (int n = 0; n < N; n++) offsets.at[n] += layout.strides[n][axis];
      if (++position[axis] < layout.shape[axis]) break;
      for (int n = 0; n < N; n++) offsets.at[n] -= layout.shape[axis] * layout.strides[n][axis];
      position[axis] = 0;
    }
  }
}

#ifdef WARPCELL_SERIAL
// The same as map_stretches at strides: `out` at layout.strides[0], the operands after it. The rank is at least 1.
template <int N, class Out, class Stretch, int... n, class... In>
inline void gather_numbered(const Layout<N>& layout, long long count, Out* out, Stretch stretch, Numbers<n...>,
                            const In*... in) {
  const int inner = layout.rank - 1;
  if (layout.rank <= 2) {
    auto plane = [&](int operand) {
      const long long* strides = layout.strides[operand];
      return Plane{layout.shape[inner], layout.rank == 2 ? strides[0] : strides[0] * layout.shape[0], strides[inner]};
    };
    Span span = block_span(count);
    return gather_stretches(span.begin, span.end, Placed<Out>(out, plane(0)), stretch, Source<In>(in, plane(n + 1))...);
  }
  for_rows(layout, count, [&](const Offsets<N>& offsets, long long steps) {
    auto line = [&](int operand) { return Plane{steps, 0, layout.strides[operand][inner]}; };
    gather_stretches(0, steps, Placed<Out>(out + offsets.at[0], line(0)), stretch,
                     Source<In>(in + offsets.at[n + 1], line(n + 1))...);
  });
}
template <int N, class Out, class Stretch, class... In>
inline void gather_stretches(const Layout<N>& layout, long long count, Out* out, Stretch stretch, const In*... in) {
  gather_numbered(layout, count, out, stretch, typename NumbersBelow<N - 1>::type(), in...);
}
template <int N, class Out, class F, class... In>
inline void gather_map(const Layout<N>& layout, long long count, Out* out, F f, const In*... in) {
  gather_stretches(
      layout, count, out,
      [f](Out* to, long long length, const In*... x) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
        for (long long i = 0; i < length; i++) to[i] = f(x[i]...);
      },
      in...);
}
#endif

// This block's part on a GPU: [first, end).
__device__ inline Span strided_span(long long count) {
  long long begin = (long long)blockIdx.x * blockDim.x * kStrided, end = begin + (long long)blockDim.x * kStrided;
  return {begin, end < count ? end : count};
}

// The same at strides: `out` at layout.strides[0], the operands behind it. The rank is at least 1.
template <bool light = true, int N, class Out, class F, class... In>
__device__ inline void map_strided(const Layout<N>& layout, long long count, Out* out, F f, const In*... in) {
#ifdef WARPCELL_SERIAL
  gather_map(layout, count, out, f, in...);
#else
  batched_strided<light>(layout, count, out, f, typename NumbersBelow<N - 1>::type(), in...);
#endif
}

}  // namespace warpcell
