// What a reduction keeps while it goes along elements: for each operation a state, how an element joins it, how two
// join, and what is made of the last one.
#pragma once
#include "math.cuh"
#include "numbers.cuh"

namespace warpcell {

// Sums are kept in T's accumulator; `parameter` scales them, so a mean is a sum.
template <class T>
struct SumOf {
  using State = Sum<T>;
  static __device__ inline State start() { return State(0); }
  static __device__ inline void add(State& state, Wide<T> x, long long) { merge(state, State(x)); }
  static __device__ inline void merge(State& state, State other) {
    if constexpr (same<State, int64>)
      state = int64(uint64(state) + uint64(other));
    else
      state += other;
  }
  static __device__ inline State finish(State state, double) { return state; }
};
template <class T>
struct MeanOf {
  using State = double;
  static __device__ inline State start() { return 0; }
  static __device__ inline void add(State& state, Wide<T> x, long long) { state += double(x); }
  static __device__ inline void merge(State& state, State other) { state += other; }
  static __device__ inline double finish(State state, double count) { return state / count; }
};
template <class T>
struct FloatMeanOf : SumOf<T> {
  static __device__ inline Sum<T> finish(Sum<T> state, double count) { return state / Sum<T>(count); }
};
template <class T>
struct ProdOf {
  using State = Sum<T>;
  static __device__ inline State start() { return State(1); }
  static __device__ inline void add(State& state, Wide<T> x, long long) { merge(state, State(x)); }
  static __device__ inline void merge(State& state, State other) {
    if constexpr (same<State, int64>)
      state = int64(uint64(state) * uint64(other));
    else
      state *= other;
  }
  static __device__ inline State finish(State state, double) { return state; }
};
// The root of the sum of squares.
template <class T>
struct NormOf {
  using State = Sum<T>;
  static __device__ inline State start() { return State(0); }
  static __device__ inline void add(State& state, Wide<T> x, long long) { state += State(x) * State(x); }
  static __device__ inline void merge(State& state, State other) { state += other; }
  static __device__ inline State finish(State state, double) { return fn::sqrt(state); }
};

template <class W>
struct Least {
  static __device__ inline W value() {
    if constexpr (Number<W>::is_float)
      return -W(1) / W(0);
    else
      return W(Limits<W>::low);
  }
};
template <class W>
struct Most {
  static __device__ inline W value() {
    if constexpr (Number<W>::is_float)
      return W(1) / W(0);
    else
      return W(Limits<W>::high);
  }
};

// NaN wins: `!(a >= b)` is true when either is NaN, and then the one that is.
template <class T>
struct MaxOf {
  using State = Wide<T>;
  static __device__ inline State start() { return Least<State>::value(); }
  static __device__ inline void add(State& state, State x, long long) {
#ifndef WARPCELL_SERIAL
    if constexpr (same<State, float>) {
      state = instructions::larger_or_nan(state, x);
      return;
    }
#endif
    state = ((x > state) | (x != x)) ? x : state;
  }
  static __device__ inline void merge(State& state, State other) { add(state, other, 0); }
  static __device__ inline State finish(State state, double) { return state; }
};
template <class T>
struct MinOf {
  using State = Wide<T>;
  static __device__ inline State start() { return Most<State>::value(); }
  static __device__ inline void add(State& state, State x, long long) {
#ifndef WARPCELL_SERIAL
    if constexpr (same<State, float>) {
      state = instructions::smaller_or_nan(state, x);
      return;
    }
#endif
    state = ((x < state) | (x != x)) ? x : state;
  }
  static __device__ inline void merge(State& state, State other) { add(state, other, 0); }
  static __device__ inline State finish(State state, double) { return state; }
};
// Not 0 where x is not.
template <class W>
__device__ inline int nonzero(W x) {
#ifdef WARPCELL_SERIAL
  // By its bits, of which lanes of vectors need no more than these.
  if constexpr (same<W, float>) return int(float_bits(x) << 1);
  if constexpr (same<W, int>) return x;
#endif
  return x != W(0);
}

template <class T>
struct AnyOf {
  using State = int;
  static __device__ inline State start() { return 0; }
  static __device__ inline void add(State& state, Wide<T> x, long long) { state |= nonzero(x); }
  static __device__ inline void merge(State& state, State other) { state |= other; }
  static __device__ inline bool finish(State state, double) { return state != 0; }
};
template <class T>
struct AllOf {
  using State = int;
  static __device__ inline State start() { return 1; }
  static __device__ inline void add(State& state, Wide<T> x, long long) { state = x != Wide<T>(0) ? state : 0; }
  static __device__ inline void merge(State& state, State other) { state &= other; }
  static __device__ inline bool finish(State state, double) { return state != 0; }
};

// The first of the largest elements; the first NaN where there is one. A state that no element is above the least
// number in has kNowhere: the first of all is it then.
template <class W>
struct Best {
  W value;
  long long index;
};
constexpr long long kNowhere = 0x7fffffffffffffffLL;
template <class T, bool largest>
struct ArgOf {
  using State = Best<Wide<T>>;
  static __device__ inline State start() {
    return {largest ? Least<Wide<T>>::value() : Most<Wide<T>>::value(), kNowhere};
  }
  // Whether x, which comes later, is more than `best`: two comparisons and no branch.
  static __device__ inline bool exceeds(Wide<T> x, Wide<T> best) {
    return !(largest ? x <= best : x >= best) & (best == best);
  }
  // In the order of their indices.
  static __device__ inline void add(State& state, Wide<T> x, long long index) {
    const bool is_it = exceeds(x, state.value);
    state.value = is_it ? x : state.value;
    state.index = is_it ? index : state.index;
  }
  static __device__ inline void merge(State& state, const State& other) {
    const bool is_same = other.value == state.value || (other.value != other.value && state.value != state.value);
    if (is_same ? other.index < state.index : exceeds(other.value, state.value)) state = other;
  }
  static __device__ inline long long finish(const State& state, double) {
    return state.index == kNowhere ? 0 : state.index;
  }
};
template <class T>
using ArgMaxOf = ArgOf<T, true>;
template <class T>
using ArgMinOf = ArgOf<T, false>;

// log Σ e^x: the sum is kept relative to the largest element so far.
template <class A>
struct Exponentials {
  A most, sum;
};
template <class T>
struct LogSumExpOf {
  using A = Sum<T>;
  using State = Exponentials<A>;
  static __device__ inline State start() { return {Least<A>::value(), A(0)}; }
  static __device__ inline void add(State& state, Wide<T> x, long long) { merge(state, {A(x), A(1)}); }
  static __device__ inline void merge(State& state, const State& other) {
    if (other.sum == A(0)) return;
    if (state.most >= other.most) {
      if (state.most != other.most || state.most - state.most == A(0))
        state.sum += other.sum * fn::exp(other.most - state.most);
      else
        state.sum += other.sum;
    } else {
      state.sum = (state.sum == A(0) ? A(0) : state.sum * fn::exp(state.most - other.most)) + other.sum;
      state.most = other.most != other.most || state.most != state.most ? state.most + other.most : other.most;
    }
  }
  // N elements at a time, or the first `count` of them, need one e^x each.
  template <int N>
  static __device__ inline void add_group(State& state, const Wide<T> (&x)[N], int count = N) {
    A most = A(x[0]), sum = A(0);
#pragma unroll
    for (int i = 1; i < N; i++) most = i < count && A(x[i]) > most ? A(x[i]) : most;
    if (most - most != A(0)) {
      // Infinities, or nothing that is ordered.
#pragma unroll
      for (int i = 0; i < N; i++)
        if (i < count) add(state, x[i], 0);
      return;
    }
#pragma unroll
    for (int i = 0; i < N; i++)
      if (i < count) sum += fn::exp(A(x[i]) - most);
    merge(state, {most, sum});
  }
  static __device__ inline A finish(const State& state, double) {
    return state.sum == A(0) ? Least<A>::value() : state.most + fn::log(state.sum);
  }
};

// Mean and sum of squared differences from it (Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for
// computing sample variances", 1979).
template <class A>
struct Moments {
  A count, mean, squares;
};
template <class T>
struct VarOf {
  using A = Sum<T>;
  using State = Moments<A>;
  static __device__ inline State start() { return {A(0), A(0), A(0)}; }
  static __device__ inline void add(State& state, Wide<T> x, long long) {
    state.count += A(1);
    A delta = A(x) - state.mean;
    state.mean += delta / state.count;
    state.squares += delta * (A(x) - state.mean);
  }
  static __device__ inline void merge(State& state, const State& other) {
    if (other.count == A(0)) return;
    A count = state.count + other.count, delta = other.mean - state.mean;
    state.mean += delta * (other.count / count);
    state.squares += other.squares + delta * delta * (state.count * other.count / count);
    state.count = count;
  }
  // N elements at a time, or the first `count` of them, need one division: their own mean and squares first, less what
  // the rounding of that mean left.
  template <int N>
  static __device__ inline State of_group(const Wide<T> (&x)[N], int count = N) {
    A sum = A(0), rest = A(0), squares = A(0);
#pragma unroll
    for (int i = 0; i < N; i++)
      if (i < count) sum += A(x[i]);
    const A part = count == N ? A(1.0 / N) : A(1) / A(count), mean = sum * part;
#pragma unroll
    for (int i = 0; i < N; i++) {
      if (i >= count) continue;
      A d = A(x[i]) - mean;
      rest += d;
      squares += d * d;
    }
    return {A(count), mean, squares - rest * rest * part};
  }
  template <int N>
  static __device__ inline void add_group(State& state, const Wide<T> (&x)[N], int count = N) {
    const State own = of_group(x, count);
    if (state.count == A(0))
      state = own;
    else
      merge(state, own);
  }
  // `correction` is what is taken off the count.
  static __device__ inline A finish(const State& state, double correction) {
    A left = state.count - A(correction);
    return left > A(0) ? state.squares / left : state.squares * A(0) / A(0);
  }
};
template <class T>
struct StdOf : VarOf<T> {
  static __device__ inline Sum<T> finish(const Moments<Sum<T>>& state, double correction) {
    return fn::sqrt(VarOf<T>::finish(state, correction));
  }
};

// Whether elements join by groups.
template <class Op>
constexpr bool by_groups = false;
template <class T>
constexpr bool by_groups<VarOf<T>> = true;
template <class T>
constexpr bool by_groups<StdOf<T>> = true;
template <class T>
constexpr bool by_groups<LogSumExpOf<T>> = true;

// Whether a state is sooner made of its first group than joined with it.
template <class Op>
constexpr bool begins_with_group = false;
template <class T>
constexpr bool begins_with_group<VarOf<T>> = true;
template <class T>
constexpr bool begins_with_group<StdOf<T>> = true;

// Whether what is kept is a place, and whether that of the largest.
template <class Op>
struct Places {
  static constexpr bool is_one = false;
};
template <class T>
struct Places<ArgOf<T, false>> {
  static constexpr bool is_one = true, largest = false;
  using Extreme = MinOf<T>;
};
template <class T>
struct Places<ArgOf<T, true>> {
  static constexpr bool is_one = true, largest = true;
  using Extreme = MaxOf<T>;
};

}  // namespace warpcell
