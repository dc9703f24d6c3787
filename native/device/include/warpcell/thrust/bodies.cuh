// The one kernel that all algorithms of Thrust and CUB launch, and what each of its threads does: objects, whose type
// both halves of a program know.
#pragma once
#include "iterators.cuh"

namespace warpcell_algorithms {

// A thread for each of `count` numbers.
template <class Body>
__global__ void for_each_number(Body body, size_t count)
#if defined(WARPCELL_HOST_CODE)
{
  void* arguments[] = {&body, &count, nullptr};
  ::warpcell_program::launch(arguments);
}
#else
{
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  Body own = body;
  own(i);
}
#endif

// How many elements a thread goes through one after another, where it does.
constexpr size_t kStretch = 32;
__host__ __device__ inline size_t least(size_t a, size_t b) { return a < b ? a : b; }

// What an operation begins with, if anything.
template <class T>
struct Start {
  T value;
  bool is;
};

// --- each element by itself

template <class I, class F>
struct Call {
  I in;
  F f;
  __host__ __device__ void operator()(size_t i) { f(in[i]); }
};
template <class In, class Out>
struct Copy {
  In in;
  Out out;
  __host__ __device__ void operator()(size_t i) { out[i] = in[i]; }
};
template <class Out, class T>
struct Fill {
  Out out;
  T value;
  __host__ __device__ void operator()(size_t i) { out[i] = value; }
};
template <class Out, class F>
struct Tabulate {
  Out out;
  F f;
  __host__ __device__ void operator()(size_t i) { out[i] = f(i); }
};
template <class Out, class F>
struct Generate {
  Out out;
  F f;
  __host__ __device__ void operator()(size_t i) { out[i] = f(); }
};
template <class T>
struct Line {
  T first, step;
  __host__ __device__ T operator()(size_t i) const { return T(first + T(i) * step); }
};
template <class In, class Out, class F>
struct Transform {
  In in;
  Out out;
  F f;
  __host__ __device__ void operator()(size_t i) { out[i] = f(in[i]); }
};
template <class A, class B, class Out, class F>
struct TransformPairs {
  A a;
  B b;
  Out out;
  F f;
  __host__ __device__ void operator()(size_t i) { out[i] = f(a[i], b[i]); }
};
template <class In, class Stencil, class Out, class F, class Test>
struct TransformIf {
  In in;
  Stencil stencil;
  Out out;
  F f;
  Test test;
  __host__ __device__ void operator()(size_t i) {
    if (test(stencil[i])) out[i] = f(in[i]);
  }
};
template <class In, class Out, class F>
struct Differences {
  In in;
  Out out;
  F f;
  __host__ __device__ void operator()(size_t i) {
    value_t<In> here = in[i];
    if (i == 0)
      out[i] = here;
    else
      out[i] = f(here, in[i - 1]);
  }
};
template <class Map, class In, class Out>
struct Gather {
  Map map;
  In in;
  Out out;
  __host__ __device__ void operator()(size_t i) { out[i] = in[map[i]]; }
};
template <class In, class Map, class Out>
struct Scatter {
  In in;
  Map map;
  Out out;
  __host__ __device__ void operator()(size_t i) { out[map[i]] = in[i]; }
};
template <class A, class B>
struct Swap {
  A a;
  B b;
  __host__ __device__ void operator()(size_t i) {
    value_t<A> kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
};
template <class I>
struct Reverse {
  I in;
  size_t n;
  __host__ __device__ void operator()(size_t i) {
    value_t<I> kept = in[i];
    in[i] = in[n - 1 - i];
    in[n - 1 - i] = kept;
  }
};
// Where each of the wanted would be among those in order: in front of its equals, behind them, or whether it is there.
enum class Bound { lower, upper, is_there };
template <Bound Wanted, class In, class Search, class Out, class Less>
struct BinarySearch {
  In in;
  size_t n;
  Search wanted;
  Out out;
  Less less;
  __host__ __device__ void operator()(size_t i) {
    value_t<Search> value = wanted[i];
    size_t from = 0, to = n;
    while (from < to) {
      size_t middle = (from + to) / 2;
      bool is_before = Wanted == Bound::upper ? !less(value, in[middle]) : less(in[middle], value);
      if (is_before)
        from = middle + 1;
      else
        to = middle;
    }
    if constexpr (Wanted == Bound::is_there)
      out[i] = from < n && !less(value, in[from]);
    else
      out[i] = from;
  }
};

// --- what elements have in common, in their order

// Each stretch of elements becomes one; the first of all begins with `start`.
template <class In, class T, class Op>
struct Fold {
  In in;
  T* out;
  size_t n;
  size_t stretch;
  Op op;
  Start<T> start;
  __host__ __device__ void operator()(size_t piece) {
    size_t i = piece * stretch, end = least(i + stretch, n);
    T value = start.is && piece == 0 ? T(op(start.value, in[i])) : T(in[i]);
    for (i++; i < end; i++) value = op(value, in[i]);
    out[piece] = value;
  }
};
// Each element becomes what it and those in front of it have in common, or those in front of it only. `totals`: what
// all stretches up to each have; null, where there is one.
template <bool IsInclusive, class In, class Out, class T, class Op>
struct Scan {
  In in;
  Out out;
  const T* totals;
  size_t n;
  size_t stretch;
  Op op;
  Start<T> start;
  __host__ __device__ void operator()(size_t piece) {
    size_t i = piece * stretch, end = least(i + stretch, n);
    T value = piece > 0 ? totals[piece - 1] : start.value;
    if constexpr (IsInclusive) {
      value = piece > 0 || start.is ? T(op(value, in[i])) : T(in[i]);
      out[i] = value;
      for (i++; i < end; i++) {
        value = op(value, in[i]);
        out[i] = value;
      }
    } else {
      for (; i < end; i++) {
        T next = op(value, in[i]);
        out[i] = value;
        value = next;
      }
    }
  }
};

// What iterators have, seen through a function.
template <class In, class F>
struct Seen {
  In in;
  F f;
  __host__ __device__ auto operator[](size_t i) const {
    F own = f;
    return own(in[i]);
  }
};
template <class A, class B, class F>
struct SeenPairs {
  A a;
  B b;
  F f;
  __host__ __device__ auto operator[](size_t i) const {
    F own = f;
    return own(a[i], b[i]);
  }
};
// 1 where a test holds.
template <class In, class Test>
struct Counted {
  In in;
  Test test;
  __host__ __device__ size_t operator[](size_t i) const {
    Test own = test;
    return own(in[i]) ? 1 : 0;
  }
};
template <class T>
struct IsValue {
  T value;
  template <class Other>
  __host__ __device__ bool operator()(const Other& other) const {
    return other == value;
  }
};
struct IsTrue {
  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return bool(value);
  }
};
// The number of an element that a test holds for; `n` for others.
template <class In, class Test>
struct Found {
  In in;
  Test test;
  size_t n;
  __host__ __device__ size_t operator[](size_t i) const {
    Test own = test;
    return own(in[i]) ? i : n;
  }
};
struct Numbers {
  __host__ __device__ size_t operator[](size_t i) const { return i; }
};
// Of two numbers of elements that of the less, the first one among equals.
template <class In, class Less>
struct Lesser {
  In in;
  Less less;
  __host__ __device__ size_t operator()(size_t a, size_t b) { return less(in[b], in[a]) ? b : a; }
};
template <class In, class Less>
struct Greater {
  In in;
  Less less;
  __host__ __device__ size_t operator()(size_t a, size_t b) { return less(in[a], in[b]) ? b : a; }
};
template <class Key, class T>
struct KeyValue {
  using Value = T;
  Key key;
  T value;
};
template <class Pair, class In>
struct GiveNumbered {
  const size_t* number;
  In in;
  Pair* out;
  __host__ __device__ void operator()(size_t) {
    out->key = int(*number);
    out->value = in[*number];
  }
};

// --- those that are chosen

// Whether an element is the first one of a run of equals.
template <class In, class Equal>
struct Heads {
  In in;
  Equal equal;
  __host__ __device__ size_t operator[](size_t i) const {
    Equal own = equal;
    return i == 0 || !own(in[i - 1], in[i]) ? 1 : 0;
  }
};
// `counts`: how many of those up to each element are chosen.
template <class Chosen, class In, class Out>
struct Keep {
  Chosen chosen;
  In in;
  const size_t* counts;
  Out out;
  __host__ __device__ void operator()(size_t i) {
    if (chosen[i]) out[counts[i] - 1] = in[i];
  }
};
// Those that are not chosen, behind the others.
template <class Chosen, class In, class Out>
struct Part {
  Chosen chosen;
  In in;
  const size_t* counts;
  Out out;
  size_t n;
  __host__ __device__ void operator()(size_t i) {
    size_t chosen_before = counts[i] - (chosen[i] ? 1 : 0);
    out[chosen[i] ? chosen_before : counts[n - 1] + (i - chosen_before)] = in[i];
  }
};
template <class T>
struct Run {
  T value;
  size_t count;  // of runs that began
};
// What runs have in common, each for itself.
template <class T, class Op>
struct WithinRuns {
  Op op;
  __host__ __device__ Run<T> operator()(const Run<T>& a, const Run<T>& b) {
    return {b.count > 0 ? b.value : T(op(a.value, b.value)), a.count + b.count};
  }
};
template <class Heads, class Values, class T>
struct Runs {
  Heads heads;
  Values values;
  __host__ __device__ Run<T> operator[](size_t i) const { return {T(values[i]), heads[i]}; }
};
// The same of the values in front of each, where a run begins with another.
template <class Heads, class Values, class T>
struct RunsBefore {
  Heads heads;
  Values values;
  T start;
  __host__ __device__ Run<T> operator[](size_t i) const {
    size_t head = heads[i];
    return {head > 0 ? start : T(values[i - 1]), head};
  }
};
template <class T, class Out>
struct GiveValues {
  const Run<T>* runs;
  Out out;
  __host__ __device__ void operator()(size_t i) { out[i] = runs[i].value; }
};
// Of each run its key, the first one, and what its values have in common.
template <class T, class Heads, class Keys, class KeysOut, class ValuesOut>
struct GiveRuns {
  const Run<T>* runs;
  Heads heads;
  Keys keys;
  KeysOut keys_out;
  ValuesOut values_out;
  size_t n;
  __host__ __device__ void operator()(size_t i) {
    if (heads[i]) keys_out[runs[i].count - 1] = keys[i];
    if (i + 1 == n || heads[i + 1]) values_out[runs[i].count - 1] = runs[i].value;
  }
};
template <class From, class Out>
struct GiveCount {
  const From* from;
  Out out;
  __host__ __device__ void operator()(size_t) { *out = count(*from); }
  __host__ __device__ static size_t count(size_t number) { return number; }
  template <class T>
  __host__ __device__ static size_t count(const Run<T>& run) {
    return run.count;
  }
};

}  // namespace warpcell_algorithms
