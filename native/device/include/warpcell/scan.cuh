// Cumulative operations: for each a state, which holds what came so far, how an element becomes one, and how two join,
// the earlier first.
#pragma once
#include "functors/logaddexp.cuh"
#include "numbers.cuh"

namespace warpcell {

// A processor's serial sums of floats are kept in float64; on a GPU they are short, since threads share a row.
#ifdef WARPCELL_SERIAL
template <class A>
struct Serial {
  using type = A;
};
template <>
struct Serial<float> {
  using type = double;
};
template <class T>
using Running = typename Serial<Sum<T>>::type;
#else
template <class T>
using Running = Sum<T>;
#endif

template <bool first, class A, class B>
struct Pick {
  using type = A;
};
template <class A, class B>
struct Pick<false, A, B> {
  using type = B;
};

template <class T>
struct SumScan {
  using State = Running<T>;
  static constexpr bool has_index = false;
  static __device__ inline State start() { return State(0); }
  static __device__ inline State of(Wide<T> x, long long) { return State(x); }
  template <class A>
  static __device__ inline A combined(A a, A b) {
    if constexpr (same<A, int64>)
      return int64(uint64(a) + uint64(b));
    else
      return a + b;
  }
  static __device__ inline State join(State a, State b) { return combined(a, b); }
  static __device__ inline State value(State state) { return state; }
};
template <class T>
struct ProdScan {
  using State = Running<T>;
  static constexpr bool has_index = false;
  static __device__ inline State start() { return State(1); }
  static __device__ inline State of(Wide<T> x, long long) { return State(x); }
  template <class A>
  static __device__ inline A combined(A a, A b) {
    if constexpr (same<A, int64>)
      return int64(uint64(a) * uint64(b));
    else
      return a * b;
  }
  static __device__ inline State join(State a, State b) { return combined(a, b); }
  static __device__ inline State value(State state) { return state; }
};

template <class T>
struct LogSumScan {
  using State = Running<T>;
  static constexpr bool has_index = false;
  static __device__ inline State start() { return -State(bits_float(0x7f800000)); }
  static __device__ inline State of(Wide<T> x, long long) { return State(x); }
  template <class A>
  static __device__ inline A combined(A a, A b) {
    return Logaddexp::of(a, b);
  }
  static __device__ inline State join(State a, State b) { return combined(a, b); }
  static __device__ inline State value(State state) { return state; }
};

// The largest so far and where it is: of equal ones the last, and from the first NaN on the last NaN. Index −1: nothing
// yet.
template <class W>
struct Extreme {
  W value;
  long long index;
};
template <class T, bool largest>
struct ExtremeScan {
  using State = Extreme<Wide<T>>;
  static constexpr bool has_index = true;
  static __device__ inline State start() { return {Wide<T>(0), -1}; }
  static __device__ inline State of(Wide<T> x, long long index) { return {x, index}; }
  static __device__ inline State join(const State& a, const State& b) {
    bool later = a.index < 0 || b.value != b.value ||
                 (a.value == a.value && (largest ? b.value >= a.value : b.value <= a.value));
    return b.index >= 0 && later ? b : a;
  }
  static __device__ inline Wide<T> value(const State& state) { return state.value; }
};
template <class T>
using MaxScan = ExtremeScan<T, true>;
template <class T>
using MinScan = ExtremeScan<T, false>;

}  // namespace warpcell
