// One result per index, as fast as memory allows: on a GPU 16 bytes a thread and load, on a CPU plain loops over a
// range a block, which compilers vectorise.
#pragma once
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

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T element[N];
};
// What a thread of a GPU loads at a time.
constexpr int kPackBytes = 16;

constexpr int largest(int a) { return a; }
template <class... Rest>
constexpr int largest(int a, Rest... rest) {
  return a > largest(rest...) ? a : largest(rest...);
}

// Vectors that a thread of a GPU has under way at a time.
constexpr int kVectors = 2;

template <class T>
struct Operand {
  const T* first;
  // Loads for one thread, before anything is stored: `out` may be an operand, which a compiler cannot tell.
  template <int W>
  struct Loaded {
    Pack<T, W> packs[kVectors];
  };
  template <int W>
  __device__ inline Loaded<W> load(long long block) const {
    Loaded<W> loaded;
#pragma unroll
    for (int v = 0; v < kVectors; v++)
      loaded.packs[v] = ((const Pack<T, W>*)(first + block))[v * blockDim.x + threadIdx.x];
    return loaded;
  }
};

// A function with a short form: `usual(is_usual, x…)` is right for most operands and clears `is_usual` at the others,
// which `rare(x…)` is for.
template <class Usual, class Rare>
struct Mostly {
  Usual usual;
  Rare rare;
  template <class... X>
  __device__ inline auto operator()(X... x) const {
    bool is_usual = true;
    auto result = usual(is_usual, x...);
    return is_usual ? result : rare(x...);
  }
};
template <class F>
constexpr bool is_mostly = false;
template <class Usual, class Rare>
constexpr bool is_mostly<Mostly<Usual, Rare>> = true;

template <int W, class Out, class F, class... Loaded>
__device__ inline void map_loaded(long long block, Out* out, F f, const Loaded&... in) {
#pragma unroll
  for (int v = 0; v < kVectors; v++) {
    Pack<Out, W> result;
    if constexpr (is_mostly<F>) {
      // One branch for all elements, which are worked out side by side.
      bool is_usual = true;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = f.usual(is_usual, in.packs[v].element[e]...);
      if (!is_usual) {
#pragma unroll
        for (int e = 0; e < W; e++) result.element[e] = f.rare(in.packs[v].element[e]...);
      }
    } else {
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = f(in.packs[v].element[e]...);
    }
    ((Pack<Out, W>*)(out + block))[v * blockDim.x + threadIdx.x] = result;
  }
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
  constexpr int W = kPackBytes / largest(int(sizeof(Out)), int(sizeof(In))...);
  long long block = (long long)blockIdx.x * blockDim.x * (W * kVectors);
  bool is_aligned =
      (unsigned long long)out % (sizeof(Out) * W) == 0 && (((unsigned long long)in % (sizeof(In) * W) == 0) && ...);
  if constexpr (light) {
    if (is_aligned && block + (long long)blockDim.x * (W * kVectors) <= count) {
      map_loaded<W>(block, out, f, Operand<In>{in}.template load<W>(block)...);
      return;
    }
  }
#pragma unroll 1
  for (int v = 0; v < kVectors * W; v++) {
    long long i = block + (long long)v * blockDim.x + threadIdx.x;
    if (i < count) out[i] = f(in[i]...);
  }
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
template <int... n>
struct Numbers {};
template <int N, int... n>
struct NumbersBelow : NumbersBelow<N - 1, N - 1, n...> {};
template <int... n>
struct NumbersBelow<0, n...> {
  using type = Numbers<n...>;
};

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

// Elements that a thread of a GPU takes of strided operands.
constexpr int kStrided = 8;

// Whether W neighbours along the last axis lie side by side in operand n, or are one and the same, wherever they start.
template <int W, int N>
__device__ inline bool is_even(const Layout<N>& layout, int n, const void* first, int bytes) {
  const int inner = layout.rank - 1;
  const long long step = layout.strides[n][inner];
  if (layout.shape[inner] % W != 0 || (step != 0 && step != 1)) return false;
  if (step == 0) return true;
  bool even = (unsigned long long)first % (W * bytes) == 0;
  for (int axis = 0; axis < inner; axis++) even = even && layout.strides[n][axis] % W == 0;
  return even;
}

template <int W, class T>
__device__ inline Pack<T, W> load_even(const T* at, bool is_one) {
  if (!is_one) return *(const Pack<T, W>*)at;
  Pack<T, W> pack;
#pragma unroll
  for (int e = 0; e < W; e++) pack.element[e] = *at;
  return pack;
}

// This block's part on a GPU: [first, end).
__device__ inline Span strided_span(long long count) {
  long long begin = (long long)blockIdx.x * blockDim.x * kStrided, end = begin + (long long)blockDim.x * kStrided;
  return {begin, end < count ? end : count};
}

// The same at strides: `out` at layout.strides[0], the operands behind it. The rank is at least 1.
template <class Out, class F, class A>
__device__ inline void map_strided(const Layout<2>& layout, long long count, Out* out, F f, const A* a) {
#ifdef WARPCELL_SERIAL
  gather_map(layout, count, out, f, a);
#else
  const long long step = layout.strides[0][layout.rank - 1], step_a = layout.strides[1][layout.rank - 1];
  Span span = strided_span(count);
  constexpr int W = 16 / largest(int(sizeof(Out)), int(sizeof(A)));
  if (step == 1 && is_even<W>(layout, 0, out, sizeof(Out)) && is_even<W>(layout, 1, a, sizeof(A))) {
    for (long long i = span.begin + threadIdx.x * W; i < span.end; i += blockDim.x * W) {
      Offsets<2> at = offsets(layout, i);
      Pack<A, W> x = load_even<W>(a + at.at[1], step_a == 0);
      Pack<Out, W> result;
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = f(x.element[e]);
      *(Pack<Out, W>*)(out + at.at[0]) = result;
    }
    return;
  }
#pragma unroll 1
  for (long long i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
    Offsets<2> at = offsets(layout, i);
    out[at.at[0]] = f(a[at.at[1]]);
  }
#endif
}

template <bool light = true, class Out, class F, class A, class B>
__device__ inline void map_strided(const Layout<3>& layout, long long count, Out* out, F f, const A* a, const B* b) {
#ifdef WARPCELL_SERIAL
  gather_map(layout, count, out, f, a, b);
#else
  const int inner = layout.rank - 1;
  const long long step = layout.strides[0][inner], step_a = layout.strides[1][inner], step_b = layout.strides[2][inner];
  Span span = strided_span(count);
  if constexpr (light) {
    constexpr int W = 16 / largest(int(sizeof(Out)), int(sizeof(A)), int(sizeof(B)));
    if (step == 1 && is_even<W>(layout, 0, out, sizeof(Out)) && is_even<W>(layout, 1, a, sizeof(A)) &&
        is_even<W>(layout, 2, b, sizeof(B))) {
      for (long long i = span.begin + threadIdx.x * W; i < span.end; i += blockDim.x * W) {
        Offsets<3> at = offsets(layout, i);
        Pack<A, W> x = load_even<W>(a + at.at[1], step_a == 0);
        Pack<B, W> y = load_even<W>(b + at.at[2], step_b == 0);
        Pack<Out, W> result;
#pragma unroll
        for (int e = 0; e < W; e++) result.element[e] = f(x.element[e], y.element[e]);
        *(Pack<Out, W>*)(out + at.at[0]) = result;
      }
      return;
    }
  }
#pragma unroll 1
  for (long long i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
    Offsets<3> at = offsets(layout, i);
    out[at.at[0]] = f(a[at.at[1]], b[at.at[2]]);
  }
#endif
}

template <class Out, class F, class A, class B, class C>
__device__ inline void map_strided(const Layout<4>& layout, long long count, Out* out, F f, const A* a, const B* b,
                                   const C* c) {
#ifdef WARPCELL_SERIAL
  gather_map(layout, count, out, f, a, b, c);
#else
  Span span = strided_span(count);
#pragma unroll 1
  for (long long i = span.begin + threadIdx.x; i < span.end; i += blockDim.x) {
    Offsets<4> at = offsets(layout, i);
    out[at.at[0]] = f(a[at.at[1]], b[at.at[2]], c[at.at[3]]);
  }
#endif
}

}  // namespace warpcell
