// Lanes of a reduction along a row as whole vectors, on the CPU: of lanes in an array compilers make pairs, and a
// comparison that NaN wins takes three instructions.
#pragma once
#include "functors/functor.cuh"
#include "reduction.cuh"

namespace warpcell {
// States that lie side by side while elements are added: fewer roundings in a row, and vectors for a processor.
constexpr int kLanes = 32;
}  // namespace warpcell

#ifdef WARPCELL_SERIAL

namespace warpcell {

constexpr int kVectorBytes = 32;  // where a processor has no longer ones, g++ takes these through memory

template <class W>
struct VectorOf {
  typedef W type __attribute__((vector_size(kVectorBytes)));
};
template <class W>
using Vector = typename VectorOf<W>::type;
// What a comparison of vectors gives.
template <class W>
using Marks = decltype(Vector<W>{} == Vector<W>{});

template <class M>
inline WARPCELL_INLINED bool is_any(const M& marks) {
  unsigned long long words[sizeof(M) / 8], any = 0;
  __builtin_memcpy(words, &marks, sizeof marks);
  for (unsigned long long word : words) any |= word;
  return any != 0;
}

// Calls join(number, vector) for the vectors of element(0), …, element(kLanes − 1).
template <class W, class Element, class Join>
inline WARPCELL_INLINED void each_vector(Element element, Join join) {
  W elements[kLanes];
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (int k = 0; k < kLanes; k++) elements[k] = element(k);
  constexpr int kWidth = kVectorBytes / sizeof(W);
#pragma GCC unroll 8
  for (int v = 0; v < kLanes / kWidth; v++) {
    Vector<W> x;
    __builtin_memcpy(&x, elements + v * kWidth, sizeof x);
    join(v, x);
  }
}
// The same for `length` of them, which is any number; those behind the last are `none`.
template <class W, class Element, class Join>
inline WARPCELL_INLINED void each_vector(Element element, long long length, W none, Join join) {
  long long i = 0;
  for (; i + kLanes <= length; i += kLanes)
    each_vector<W>([&](int k) WARPCELL_INLINED { return element(i + k); }, join);
  if (i == length) return;
  W rest[kLanes];
  for (int k = 0; k < kLanes; k++) rest[k] = none;
  for (int k = 0; i < length; i++, k++) rest[k] = element(i);
  each_vector<W>([&](int k) WARPCELL_INLINED { return rest[k]; }, join);
}

// kLanes numbers.
template <class W>
struct Vectors {
  static constexpr int kWidth = kVectorBytes / sizeof(W), kCount = kLanes / kWidth;
  Vector<W> at[kCount];
  inline WARPCELL_INLINED Vectors(W value) {
    for (int v = 0; v < kCount; v++) at[v] = Vector<W>{} + value;
  }
  // Joins lanes k and k + half of them, until `left` are left.
  template <int left, class Join>
  inline WARPCELL_INLINED void fold(W* lanes, Join join) {
    static_assert(left >= kWidth && kLanes % left == 0);
    for (int half = kCount / 2; half * kWidth >= left; half /= 2)
      for (int v = 0; v < half; v++) join(at[v], at[v + half]);
    __builtin_memcpy(lanes, at, left * sizeof(W));
  }
  template <class Join>
  inline WARPCELL_INLINED W total(Join join) {
    W lanes[kWidth];
    fold<kWidth>(lanes, join);
    for (int half = kWidth / 2; half > 0; half /= 2)
      for (int k = 0; k < half; k++) join(lanes[k], lanes[k + half]);
    return lanes[0];
  }
};

// How an operation's states join as vectors: what one is kept as, that of no element, that of one, and how two join.
template <class Op>
struct Lane {
  static constexpr bool is_known = false;
};
template <class Op>
struct NumberLane {
  static constexpr bool is_known = true;
  using W = typename Op::State;
  template <class X>
  static inline WARPCELL_INLINED W of(X x) {
    return W(x);
  }
};
// Sums and products of integers wrap around, which signed ones must not.
template <class Op>
struct WrappingLane {
  static constexpr bool is_known = true;
  using State = typename Op::State;
  using W = Wrapping<State>;
  template <class X>
  static inline WARPCELL_INLINED W of(X x) {
    return W(State(x));
  }
};
template <class Op>
struct SumLane : WrappingLane<Op> {
  template <class V>
  static inline WARPCELL_INLINED void join(V& state, const V& other) {
    state += other;
  }
};
template <class T>
struct Lane<SumOf<T>> : SumLane<SumOf<T>> {};
template <class T>
struct Lane<FloatMeanOf<T>> : SumLane<FloatMeanOf<T>> {};
template <class T>
struct Lane<MeanOf<T>> : SumLane<MeanOf<T>> {};
template <class T>
struct Lane<NormOf<T>> : SumLane<NormOf<T>> {
  static inline WARPCELL_INLINED Sum<T> of(Wide<T> x) { return Sum<T>(x) * Sum<T>(x); }
};
template <class T>
struct Lane<ProdOf<T>> : WrappingLane<ProdOf<T>> {
  template <class V>
  static inline WARPCELL_INLINED void join(V& state, const V& other) {
    state *= other;
  }
};
// Extremes pass over NaN, which is looked for beside them.
template <class Op, bool largest>
struct ExtremeLane : NumberLane<Op> {
  template <class V>
  static inline WARPCELL_INLINED void join(V& state, const V& other) {
    if constexpr (largest)
      state = other > state ? other : state;
    else
      state = other < state ? other : state;
  }
};
template <class T>
struct Lane<MaxOf<T>> : ExtremeLane<MaxOf<T>, true> {};
template <class T>
struct Lane<MinOf<T>> : ExtremeLane<MinOf<T>, false> {};

// Whether NaN among the elements must be looked for.
template <class Op>
constexpr bool minds_nan = false;
template <class T>
constexpr bool minds_nan<MaxOf<T>> = Number<Wide<T>>::is_float;
template <class T>
constexpr bool minds_nan<MinOf<T>> = Number<Wide<T>>::is_float;

template <class W>
struct Joined {
  W state;
  bool has_nan;
};
// The state of `length` elements, joined in lanes.
template <class Op, class At>
inline WARPCELL_INLINED Joined<typename Lane<Op>::W> joined(At at, long long length) {
  using L = Lane<Op>;
  using W = typename L::W;
  const W none = W(Op::start());
  Vectors<W> lanes(none);
  Marks<W> unordered[Vectors<W>::kCount] = {};
  each_vector<W>([&](long long i) WARPCELL_INLINED { return L::of(at(i)); }, length, none,
                 [&](int v, const Vector<W>& x) WARPCELL_INLINED {
                   L::join(lanes.at[v], x);
                   if constexpr (minds_nan<Op>) unordered[v] |= x != x;
                 });
  for (int v = 1; v < Vectors<W>::kCount; v++) unordered[0] |= unordered[v];
  return {lanes.total([](auto& state, const auto& other) WARPCELL_INLINED { L::join(state, other); }),
          minds_nan<Op> && is_any(unordered[0])};
}

}  // namespace warpcell
#endif
