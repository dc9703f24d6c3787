// Maps as threads of a GPU run them: a thread brings several elements of each operand before it works on the first, so
// that memory has enough to do, in packs of 16 bytes where they lie side by side, else as neighbours of its warp.
#pragma once
#include "layout.cuh"

namespace warpcell {

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T element[N];
};
// What a thread loads at a time.
constexpr int kPackBytes = 16;
// Vectors that a thread has under way at a time.
constexpr int kVectors = 2;
// Elements that a thread takes of strided operands.
constexpr int kStrided = 8;

constexpr int largest(int a) { return a; }
template <class... Rest>
constexpr int largest(int a, Rest... rest) {
  return a > largest(rest...) ? a : largest(rest...);
}

template <int... n>
struct Numbers {};
template <int N, int... n>
struct NumbersBelow : NumbersBelow<N - 1, N - 1, n...> {};
template <int... n>
struct NumbersBelow<0, n...> {
  using type = Numbers<n...>;
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

#ifndef WARPCELL_SERIAL
// Elements of one operand for a thread, wherever they lie.
template <class T, int N>
struct Few {
  T element[N];
};

// Two elements, as what registers hold.
template <int bytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned short;
};
template <>
struct Word<2> {
  using type = unsigned;
};
template <>
struct Word<4> {
  using type = unsigned long long;
};
template <>
struct Word<8> {
  using type = ulonglong2;
};

// Elements that go round two at a time: registers cannot be chosen by a number that is not known.
template <class T, int N>
struct Turning {
  using Two = typename Word<sizeof(T)>::type;
  Two twos[N / 2];
  __device__ inline Turning() {}
  template <class Elements>
  __device__ inline explicit Turning(const Elements& elements) {
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
      T pair[2] = {elements.element[2 * i], elements.element[2 * i + 1]};
      memcpy(&twos[i], pair, sizeof(Two));
    }
  }
  template <int which>
  __device__ inline T next() const {
    T pair[2];
    memcpy(pair, &twos[0], sizeof(Two));
    return pair[which];
  }
  __device__ inline void turn() {
#pragma unroll
    for (int i = 0; i + 1 < N / 2; i++) twos[i] = twos[i + 1];
  }
  __device__ inline void put(T first, T second) {
    turn();
    T pair[2] = {first, second};
    memcpy(&twos[N / 2 - 1], pair, sizeof(Two));
  }
  template <class Elements>
  __device__ inline void take(Elements& elements) const {
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
      T pair[2];
      memcpy(pair, &twos[i], sizeof(Two));
      elements.element[2 * i] = pair[0];
      elements.element[2 * i + 1] = pair[1];
    }
  }
};
template <int W, class Out, class F, class... In>
__device__ inline void work_out_in_turns(F f, Turning<Out, W>& results, Turning<In, W>... in) {
#pragma unroll 1
  for (int e = 0; e < W; e += 2) {
    const Out first = f(in.template next<0>()...), second = f(in.template next<1>()...);
    results.put(first, second);
    (in.turn(), ...);
  }
}

// f(x[e]…) for the elements of a thread: side by side where f is light; a long one stands there twice only, or a file
// of them would take minutes to compile.
template <bool light, class Out, int W, class F, template <class, int> class Elements, class... In>
__device__ inline Elements<Out, W> work_out(F f, const Elements<In, W>&... in) {
  Elements<Out, W> result;
  if constexpr (!light && W > 2) {
    Turning<Out, W> results;
    work_out_in_turns<W>(f, results, Turning<In, W>(in)...);
    results.take(result);
  } else if constexpr (is_mostly<F>) {
    // One branch for all elements.
    bool is_usual = true;
#pragma unroll
    for (int e = 0; e < W; e++) result.element[e] = f.usual(is_usual, in.element[e]...);
    if (!is_usual) {
#pragma unroll
      for (int e = 0; e < W; e++) result.element[e] = f.rare(in.element[e]...);
    }
  } else {
#pragma unroll
    for (int e = 0; e < W; e++) result.element[e] = f(in.element[e]...);
  }
  return result;
}

// Operands by where they hold what an index of the result needs. `has_packs`: whether `width` neighbours lie side by
// side and begin where packs do.
template <class T>
struct FlatOperand {
  using type = T;
  T* first;
  __device__ inline long long place(long long index) const { return index; }
  template <int width>
  __device__ inline bool has_packs() const {
    return (unsigned long long)first % (sizeof(T) * width) == 0;
  }
};
template <class T>
struct PlaneOperand {
  using type = T;
  T* first;
  const Plane& plane;
  __device__ inline int place(unsigned index) const {
    const unsigned row = quotient(index, plane.by_length);
    return int(row) * int(plane.row) + int(index - row * unsigned(plane.length)) * int(plane.step);
  }
  __device__ inline long long place(long long index) const {
    return index / plane.length * plane.row + index % plane.length * plane.step;
  }
  __device__ inline bool is_flat() const { return plane.step == 1 && plane.row == plane.length; }
  template <int width>
  __device__ inline bool has_packs() const {
    const bool are_rows = plane.step == 1 && plane.length % width == 0 && plane.row % width == 0;
    return (is_flat() || are_rows) && FlatOperand<T>{first}.template has_packs<width>();
  }
};
// Neighbours may be one and the same element, too.
template <class T, int N>
struct LayoutOperand {
  using type = T;
  T* first;
  const Layout<N>& layout;
  int operand;
  __device__ inline long long place(long long index) const { return offsets(layout, index).at[operand]; }
  __device__ inline bool is_one() const { return layout.strides[operand][layout.rank - 1] == 0; }
  template <int width>
  __device__ inline bool has_packs() const {
    const int inner = layout.rank - 1;
    const long long* strides = layout.strides[operand];
    if (layout.shape[inner] % width != 0 || (strides[inner] != 1 && !is_one())) return false;
    if (is_one()) return operand != 0;
    bool has = FlatOperand<T>{first}.template has_packs<width>();
    for (int axis = 0; axis < inner; axis++) has = has && strides[axis] % width == 0;
    return has;
  }
};
template <class Operand>
constexpr bool may_be_one = false;
template <class T, int N>
constexpr bool may_be_one<LayoutOperand<T, N>> = true;

template <int W, class Operand, class T = typename Operand::type>
__device__ inline Pack<T, W> load_pack(const Operand& operand, long long place) {
  if constexpr (may_be_one<Operand>) {
    if (operand.is_one()) {
      Pack<T, W> pack;
      const T one = operand.first[place];
#pragma unroll
      for (int e = 0; e < W; e++) pack.element[e] = one;
      return pack;
    }
  }
  return *(const Pack<T, W>*)(operand.first + place);
}

// Elements of a thread that are brought one by one at a time.
constexpr int kSingles = 16;

// The index of a thread's element k, where those of a warp are neighbours; none is beyond `last`.
template <class I>
__device__ inline I batch_index(I first, int k, I last) {
  const I index = first + I(k * blockDim.x);
  return index < last ? index : last;
}

template <int W, class I, class Operand, class T = typename Operand::type>
__device__ inline Few<T, W> load_few(const Operand& operand, bool has_packs, I first, I last) {
  Few<T, W> few;
  if (has_packs) {
    const Pack<T, W> pack = load_pack<W>(operand, operand.place(first));
#pragma unroll
    for (int e = 0; e < W; e++) few.element[e] = pack.element[e];
  } else {
#pragma unroll
    for (int k = 0; k < W; k++) few.element[k] = operand.first[operand.place(batch_index(first, k, last))];
  }
  return few;
}

// A long function stands here once, however operands lie. A thread takes `all` elements; I counts them.
template <int all, class I, class F, class To, class... Operand>
__device__ inline void map_long(I count, F f, const To& to, const Operand&... in) {
  using Out = typename To::type;
  constexpr int widest = kPackBytes / largest(int(sizeof(Out)), int(sizeof(typename Operand::type))...);
  constexpr int W = widest < all ? widest : all;
  const I block = I(blockIdx.x) * blockDim.x * all;
  const bool has_packs =
      block + blockDim.x * all <= count && to.template has_packs<W>() && (in.template has_packs<W>() && ...);
#pragma unroll 1
  for (int done = 0; done < all; done += W) {
    const I first = block + done * blockDim.x + threadIdx.x * (has_packs ? W : 1);
    if (first >= count) return;
    const Few<Out, W> results = work_out<false, Out>(f, load_few<W>(in, has_packs, first, count - 1)...);
    if (has_packs) {
      Pack<Out, W> pack;
#pragma unroll
      for (int e = 0; e < W; e++) pack.element[e] = results.element[e];
      *(Pack<Out, W>*)(to.first + to.place(first)) = pack;
    } else {
#pragma unroll
      for (int k = 0; k < W; k++) {
        const I index = first + I(k * blockDim.x);
        if (index < count) to.first[to.place(index)] = results.element[k];
      }
    }
  }
}

// The same of more than 2³¹ elements, or so far apart: seldom, so one at a time.
template <int all, class F, class To, class... Operand>
__device__ inline void map_far(long long count, F f, const To& to, const Operand&... in) {
  const long long first = (long long)blockIdx.x * blockDim.x * all + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < all; k++) {
    const long long index = first + (long long)k * blockDim.x;
    if (index < count) to.first[to.place(index)] = f(in.first[in.place(index)]...);
  }
}

// Packs of a thread, a block's threads apart.
template <class T, int V, int W>
struct Vectors {
  Pack<T, W> pack[V];
};
template <int V, int W, class T>
__device__ inline Vectors<T, V, W> load_vectors(const T* block) {
  Vectors<T, V, W> loaded;
#pragma unroll
  for (int v = 0; v < V; v++) loaded.pack[v] = ((const Pack<T, W>*)block)[v * blockDim.x + threadIdx.x];
  return loaded;
}
// Everything is loaded before anything is stored: `out` may be an operand, which a compiler cannot tell.
template <int V, int W, class Out, class F, class... In>
__device__ inline void put_vectors(Out* block, F f, const Vectors<In, V, W>&... in) {
#pragma unroll
  for (int v = 0; v < V; v++)
    ((Pack<Out, W>*)block)[v * blockDim.x + threadIdx.x] = work_out<true, Out>(f, in.pack[v]...);
}

template <class T, class I, int U>
__device__ inline Few<T, U> picked(const T* in, const I (&at)[U]) {
  Few<T, U> few;
#pragma unroll
  for (int k = 0; k < U; k++) few.element[k] = in[at[k]];
  return few;
}
template <int n, class T, int N, int U>
__device__ inline Few<T, U> picked(const T* in, const Offsets<N, int> (&at)[U]) {
  Few<T, U> few;
#pragma unroll
  for (int k = 0; k < U; k++) few.element[k] = in[at[k].at[n]];
  return few;
}
template <class T, class I, int U>
__device__ inline void put_few(T* out, I first, I count, const Few<T, U>& few) {
#pragma unroll
  for (int k = 0; k < U; k++) {
    const I index = first + I(k * blockDim.x);
    if (index < count) out[index] = few.element[k];
  }
}

// out[i] = f(in[i]…) for i < count, without gaps.
template <bool light, class Out, class F, class... In>
__device__ inline void batched_map(long long count, Out* out, F f, const In*... in) {
  constexpr int W = kPackBytes / largest(int(sizeof(Out)), int(sizeof(In))...), all = W * kVectors;
  if constexpr (!light) {
    map_long<all>(count, f, FlatOperand<Out>{out}, FlatOperand<In>{(In*)in}...);
  } else {
    const long long block = (long long)blockIdx.x * blockDim.x * all;
    const bool has_packs =
        FlatOperand<Out>{out}.template has_packs<W>() && (FlatOperand<In>{(In*)in}.template has_packs<W>() && ...);
    if (has_packs && block + (long long)blockDim.x * all <= count)
      return put_vectors(out + block, f, load_vectors<kVectors, W>(in + block)...);
    constexpr int U = all < kSingles ? all : kSingles;
#pragma unroll 1
    for (int done = 0; done < all; done += U) {
      const long long first = block + (long long)done * blockDim.x + threadIdx.x;
      if (first >= count) return;
      long long at[U];
#pragma unroll
      for (int k = 0; k < U; k++) at[k] = batch_index(first, k, count - 1);
      put_few(out, first, count, work_out<true, Out>(f, picked(in, at)...));
    }
  }
}

// The same of an operand whose rows lie apart.
template <bool light, class Out, class F, class In>
__device__ inline void batched_rows(const Plane& plane, long long count, Out* out, F f, const In* in) {
  constexpr int W = kPackBytes / largest(int(sizeof(Out)), int(sizeof(In))), all = W * kVectors;
  const FlatOperand<Out> to{out};
  const PlaneOperand<In> from{(In*)in, plane};
  if constexpr (light) {
    if (from.is_flat()) return batched_map<true>(count, out, f, in);
  }
  if (!plane.is_small) return map_far<all>(count, f, to, from);
  if constexpr (!light) {
    map_long<all>(unsigned(count), f, to, from);
  } else {
    const unsigned block = blockIdx.x * blockDim.x * all, end = unsigned(count);
    if (to.template has_packs<W>() && from.template has_packs<W>() && block + blockDim.x * all <= end) {
      Vectors<In, kVectors, W> loaded;
#pragma unroll
      for (int v = 0; v < kVectors; v++)
        loaded.pack[v] = load_pack<W>(from, from.place(block + (v * blockDim.x + threadIdx.x) * W));
      return put_vectors(out + block, f, loaded);
    }
    constexpr int U = all < kSingles ? all : kSingles;
#pragma unroll 1
    for (int done = 0; done < all; done += U) {
      const unsigned first = block + done * blockDim.x + threadIdx.x;
      if (first >= end) return;
      int at[U];
#pragma unroll
      for (int k = 0; k < U; k++) at[k] = from.place(batch_index(first, k, end - 1));
      put_few(out, first, end, work_out<true, Out>(f, picked(in, at)));
    }
  }
}

template <int V, int W, int N, class Out, class F, class... In>
__device__ inline void put_even(Out* out, const Offsets<N, int> (&at)[V], F f, const Vectors<In, V, W>&... in) {
#pragma unroll
  for (int v = 0; v < V; v++) *(Pack<Out, W>*)(out + at[v].at[0]) = work_out<true, Out>(f, in.pack[v]...);
}
template <int W, class Operand, int N, int V, class T = typename Operand::type>
__device__ inline Vectors<T, V, W> load_even(const Operand& in, const Offsets<N, int> (&at)[V]) {
  Vectors<T, V, W> loaded;
#pragma unroll
  for (int v = 0; v < V; v++) loaded.pack[v] = load_pack<W>(in, at[v].at[in.operand]);
  return loaded;
}

// out[…] = f(in[…]…) at strides: `out` at layout.strides[0], the operands behind it. The rank is at least 1.
template <bool light, int N, class Out, class F, int... n, class... In>
__device__ inline void batched_strided(const Layout<N>& layout, long long count, Out* out, F f, Numbers<n...>,
                                       const In*... in) {
  const LayoutOperand<Out, N> to{out, layout, 0};
  if (!layout.is_small) return map_far<kStrided>(count, f, to, LayoutOperand<In, N>{(In*)in, layout, n + 1}...);
  constexpr int widest = kPackBytes / largest(int(sizeof(Out)), int(sizeof(In))...);
  constexpr int W = widest < kStrided ? widest : kStrided, V = kStrided / W;
  const unsigned block = blockIdx.x * blockDim.x * kStrided, end = unsigned(count);
  // A long function stands here for elements that are brought one by one alone.
  if constexpr (light) {
    const bool has_packs =
        to.template has_packs<W>() && (LayoutOperand<In, N>{(In*)in, layout, n + 1}.template has_packs<W>() && ...);
    if (has_packs && block + blockDim.x * kStrided <= end) {
      unsigned index[V];
      Offsets<N, int> at[V];
#pragma unroll
      for (int v = 0; v < V; v++) index[v] = block + (v * blockDim.x + threadIdx.x) * W;
      near_offsets(layout, index, at);
      return put_even<V, W>(out, at, f, load_even<W>(LayoutOperand<In, N>{(In*)in, layout, n + 1}, at)...);
    }
  }
  const unsigned first = block + threadIdx.x;
  if (first >= end) return;
  unsigned index[kStrided];
  Offsets<N, int> at[kStrided];
#pragma unroll
  for (int k = 0; k < kStrided; k++) index[k] = batch_index(first, k, end - 1);
  near_offsets(layout, index, at);
  const Few<Out, kStrided> results = work_out<light, Out>(f, picked<n + 1>(in, at)...);
#pragma unroll
  for (int k = 0; k < kStrided; k++)
    if (first + k * blockDim.x < end) out[at[k].at[0]] = results.element[k];
}
#endif

}  // namespace warpcell
