// Running totals of a block's or a warp's threads: what CUB's scans of both are made of.
#pragma once
#include "collectives.h"

namespace warpcell_cpu {

template <class T, int N>
struct RunningRoom {
  Room<T, N> item;
  Room<T, 1> all, first;
};

// What comes before the first thread's values: nothing, a value, or what a function says of the total.
struct Nothing {};
template <class T> struct Initial { T value; };
template <class Function> struct Asked { Function& function; };

// Each of `group`'s threads, which share `room`.
template <class T, class Group>
class Running {
 public:
  using Storage = RunningRoom<T, Group::kThreads>;
  Running(Storage& room, Group group) : room_(room), group_(group) {}

  // The total leaves out what comes before the first thread.
  template <bool is_inclusive, int N, class Operation, class Prefix>
  T run(T (&in)[N], T (&out)[N], Operation operation, Prefix prefix) {
    const int rank = group_.rank();
    room_.item[rank] = folded<T>(in, 0, N, operation);
    group_.meet();
    if (rank == 0) total(operation);
    group_.meet();
    const T all = room_.all[0];
    T sum = in[0];
    bool has_sum = rank != 0;
    if (has_sum) sum = room_.item[rank];
    add(sum, has_sum, operation, prefix, all);
    for (int i = 0; i < N; i++) {
      const T value = in[i], until = has_sum ? operation(sum, value) : value;
      out[i] = is_inclusive ? until : sum;
      sum = until;
      has_sum = true;
    }
    return all;
  }

 private:
  template <class Operation>
  void total(Operation operation) {
    T sum = room_.item[0];
    for (int i = 1; i < Group::kThreads; i++) {
      const T value = room_.item[i];
      room_.item[i] = sum;
      sum = operation(sum, value);
    }
    room_.all[0] = sum;
  }
  template <class Operation>
  WARPCELL_CPU_MEMBER void add(T&, bool&, Operation, Nothing, const T&) {}
  template <class Operation>
  WARPCELL_CPU_MEMBER void add(T& sum, bool& has_sum, Operation operation, Initial<T> initial, const T&) {
    sum = has_sum ? operation(initial.value, sum) : initial.value;
    has_sum = true;
  }
  // The whole first warp asks; what its first thread is told counts.
  template <class Operation, class Function>
  WARPCELL_CPU_MEMBER void add(T& sum, bool& has_sum, Operation operation, Asked<Function> asked, const T& all) {
    if (group_.rank() < int(kLanes)) {
      const T first = asked.function(all);
      if (group_.rank() == 0) room_.first[0] = first;
    }
    group_.meet();
    add(sum, has_sum, operation, Initial<T>{room_.first[0]}, all);
  }

  Storage& room_;
  Group group_;
};

template <class T> WARPCELL_CPU_FN auto as_array(T& value) -> T (&)[1] { return reinterpret_cast<T(&)[1]>(value); }
template <class T, int N> WARPCELL_CPU_FN auto as_array(T (&values)[N]) -> T (&)[N] { return values; }

}  // namespace warpcell_cpu

// The scans by CUB's names, of a class with a Running `running_`. COUNT: how many values a thread has, as a template's parameter; IN, OUT: they.
#define WARPCELL_CPU_SCANS(COUNT, IN, OUT)                                                                                                       \
  template <COUNT, class Operation> WARPCELL_CPU_MEMBER void InclusiveScan(IN, OUT, Operation operation) {                                       \
    running_.template run<true>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Nothing());                    \
  }                                                                                                                                              \
  template <COUNT, class Operation> WARPCELL_CPU_MEMBER void InclusiveScan(IN, OUT, Operation operation, T& all) {                               \
    all = running_.template run<true>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Nothing());              \
  }                                                                                                                                              \
  template <COUNT, class Operation> WARPCELL_CPU_MEMBER void ExclusiveScan(IN, OUT, Operation operation) {                                       \
    running_.template run<false>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Nothing());                   \
  }                                                                                                                                              \
  template <COUNT, class Operation> WARPCELL_CPU_MEMBER void ExclusiveScan(IN, OUT, Operation operation, T& all) {                               \
    all = running_.template run<false>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Nothing());             \
  }                                                                                                                                              \
  template <COUNT, class Operation> WARPCELL_CPU_MEMBER void ExclusiveScan(IN, OUT, T initial, Operation operation) {                            \
    running_.template run<false>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Initial<T>{initial});         \
  }                                                                                                                                              \
  template <COUNT, class Operation> WARPCELL_CPU_MEMBER void ExclusiveScan(IN, OUT, T initial, Operation operation, T& all) {                    \
    all = running_.template run<false>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Initial<T>{initial});   \
  }                                                                                                                                              \
  template <COUNT> WARPCELL_CPU_MEMBER void InclusiveSum(IN, OUT) { InclusiveScan(in, out, cub::Sum()); }                                        \
  template <COUNT> WARPCELL_CPU_MEMBER void InclusiveSum(IN, OUT, T& all) { InclusiveScan(in, out, cub::Sum(), all); }                           \
  template <COUNT> WARPCELL_CPU_MEMBER void ExclusiveSum(IN, OUT) { ExclusiveScan(in, out, T(), cub::Sum()); }                                   \
  template <COUNT> WARPCELL_CPU_MEMBER void ExclusiveSum(IN, OUT, T& all) { ExclusiveScan(in, out, T(), cub::Sum(), all); }

// With a function of the total that says what comes before the block.
#define WARPCELL_CPU_ASKING_SCANS(COUNT, IN, OUT)                                                                                                \
  template <COUNT, class Operation, class Prefix>                                                                                                \
  WARPCELL_CPU_MEMBER auto InclusiveScan(IN, OUT, Operation operation, Prefix& prefix) -> decltype(T(prefix(T())), void()) {                     \
    running_.template run<true>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Asked<Prefix>{prefix});        \
  }                                                                                                                                              \
  template <COUNT, class Operation, class Prefix>                                                                                                \
  WARPCELL_CPU_MEMBER auto ExclusiveScan(IN, OUT, Operation operation, Prefix& prefix) -> decltype(T(prefix(T())), void()) {                     \
    running_.template run<false>(warpcell_cpu::as_array(in), warpcell_cpu::as_array(out), operation, warpcell_cpu::Asked<Prefix>{prefix});       \
  }                                                                                                                                              \
  template <COUNT, class Prefix>                                                                                                                 \
  WARPCELL_CPU_MEMBER auto InclusiveSum(IN, OUT, Prefix& prefix) -> decltype(T(prefix(T())), void()) { InclusiveScan(in, out, cub::Sum(), prefix); } \
  template <COUNT, class Prefix>                                                                                                                 \
  WARPCELL_CPU_MEMBER auto ExclusiveSum(IN, OUT, Prefix& prefix) -> decltype(T(prefix(T())), void()) { ExclusiveScan(in, out, cub::Sum(), prefix); }
