// Thrust's algorithms over elements one by one, reductions and searches, with and without a policy that says where they
// run. (Thrust, "Algorithms".)
#pragma once
#include "primitives.h"
#include "vectors.h"

// clang-format off
#define WARPCELL_ALGORITHM(...) template <class P, __VA_ARGS__, ::warpcell_algorithms::Policy<P> = 0>
// clang-format on

namespace warpcell_thrust {
namespace internal = warpcell_algorithms;

template <class I>
auto distance(I first, I last) {
  return last - first;
}
template <class I, class N>
void advance(I& iterator, N n) {
  iterator += ptrdiff_t(n);
}
template <class I, class N = ptrdiff_t>
I next(I iterator, N n = 1) {
  return iterator + ptrdiff_t(n);
}

WARPCELL_ALGORITHM(class I, class F)
I for_each(const P& policy, I first, I last, F f, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) { on.each(size_t(last - first), internal::Call<I, F>{first, f}); });
  return last;
}
WARPCELL_ALGORITHM(class I, class Size, class F)
I for_each_n(const P& policy, I first, Size n, F f, WARPCELL_LINE_OF_CALL) {
  return for_each(policy, first, first + ptrdiff_t(n), f, line);
}
WARPCELL_ALGORITHM(class I, class T)
void fill(const P& policy, I first, I last, const T& value, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) { on.each(size_t(last - first), internal::Fill<I, T>{first, value}); });
}
WARPCELL_ALGORITHM(class I, class Size, class T)
I fill_n(const P& policy, I first, Size n, const T& value, WARPCELL_LINE_OF_CALL) {
  fill(policy, first, first + ptrdiff_t(n), value, line);
  return first + ptrdiff_t(n);
}
WARPCELL_ALGORITHM(class I, class F)
void tabulate(const P& policy, I first, I last, F f, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) { on.each(size_t(last - first), internal::Tabulate<I, F>{first, f}); });
}
WARPCELL_ALGORITHM(class I, class T)
void sequence(const P& policy, I first, I last, T start, T step, WARPCELL_LINE_OF_CALL) {
  using Value = internal::value_t<I>;
  tabulate(policy, first, last, internal::Line<Value>{Value(start), Value(step)}, line);
}
WARPCELL_ALGORITHM(class I, class T)
void sequence(const P& policy, I first, I last, T start, WARPCELL_LINE_OF_CALL) {
  sequence(policy, first, last, start, T(1), line);
}
WARPCELL_ALGORITHM(class I)
void sequence(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) { sequence(policy, first, last, 0, 1, line); }
// A generator of the host's (rand) runs there; one for elements of the device is called by their threads.
WARPCELL_ALGORITHM(class I, class F)
void generate(const P& policy, I first, I last, F f, WARPCELL_LINE_OF_CALL) {
  if constexpr (__is_base_of(host_policy, P))
    std::generate(first, last, f);
  else
    internal::run(policy, line, [&](auto& on) { on.each(size_t(last - first), internal::Generate<I, F>{first, f}); });
}
WARPCELL_ALGORITHM(class I, class Out, class F)
Out transform(const P& policy, I first, I last, Out out, F f, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line,
                [&](auto& on) { on.each(size_t(last - first), internal::Transform<I, Out, F>{first, out, f}); });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class A, class B, class Out, class F)
Out transform(const P& policy, A first, A last, B second, Out out, F f, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) {
    on.each(size_t(last - first), internal::TransformPairs<A, B, Out, F>{first, second, out, f});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class I, class S, class Out, class F, class Test)
Out transform_if(const P& policy, I first, I last, S stencil, Out out, F f, Test test, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) {
    on.each(size_t(last - first), internal::TransformIf<I, S, Out, F, Test>{first, stencil, out, f, test});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class I, class Out, class F, class Test)
Out transform_if(const P& policy, I first, I last, Out out, F f, Test test, WARPCELL_LINE_OF_CALL) {
  return transform_if(policy, first, last, first, out, f, test, line);
}
WARPCELL_ALGORITHM(class I, class Test, class T)
void replace_if(const P& policy, I first, I last, Test test, const T& value, WARPCELL_LINE_OF_CALL) {
  using Value = internal::value_t<I>;
  transform_if(policy, constant_iterator<Value>(value), constant_iterator<Value>(value) + (last - first), first, first,
               identity<>(), test, line);
}
WARPCELL_ALGORITHM(class I, class T)
void replace(const P& policy, I first, I last, const T& from, const T& to, WARPCELL_LINE_OF_CALL) {
  using Value = internal::value_t<I>;
  replace_if(policy, first, last, internal::IsValue<Value>{Value(from)}, to, line);
}
WARPCELL_ALGORITHM(class I, class Out, class F)
Out adjacent_difference(const P& policy, I first, I last, Out out, F f, WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<I>;
  size_t n = size_t(last - first);
  internal::run(policy, line, [&](auto& on) {
    T* kept = on.template room<T>(n);  // it may be done in place
    on.each(n, internal::Copy<I, T*>{first, kept});
    on.each(n, internal::Differences<T*, Out, F>{kept, out, f});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class I, class Out)
Out adjacent_difference(const P& policy, I first, I last, Out out, WARPCELL_LINE_OF_CALL) {
  return adjacent_difference(policy, first, last, out, minus<internal::value_t<I>>(), line);
}
WARPCELL_ALGORITHM(class M, class I, class Out)
Out gather(const P& policy, M first, M last, I in, Out out, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line,
                [&](auto& on) { on.each(size_t(last - first), internal::Gather<M, I, Out>{first, in, out}); });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class I, class M, class Out)
void scatter(const P& policy, I first, I last, M map, Out out, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line,
                [&](auto& on) { on.each(size_t(last - first), internal::Scatter<I, M, Out>{first, map, out}); });
}
WARPCELL_ALGORITHM(class A, class B)
B swap_ranges(const P& policy, A first, A last, B second, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) { on.each(size_t(last - first), internal::Swap<A, B>{first, second}); });
  return second + (last - first);
}
WARPCELL_ALGORITHM(class I)
void reverse(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) {
  size_t n = size_t(last - first);
  internal::run(policy, line, [&](auto& on) { on.each(n / 2, internal::Reverse<I>{first, n}); });
}
WARPCELL_ALGORITHM(class I, class Out)
Out reverse_copy(const P& policy, I first, I last, Out out, WARPCELL_LINE_OF_CALL) {
  using Backwards = reverse_iterator<I>;
  internal::run(policy, line,
                [&](auto& on) { on.each(size_t(last - first), internal::Copy<Backwards, Out>{Backwards(last), out}); });
  return out + (last - first);
}

// --- what all have in common

WARPCELL_ALGORITHM(class I, class T, class Op)
T reduce(const P& policy, I first, I last, T init, Op op, WARPCELL_LINE_OF_CALL) {
  return internal::folded<T>(policy, line, first, size_t(last - first), op, init);
}
WARPCELL_ALGORITHM(class I, class T)
T reduce(const P& policy, I first, I last, T init, WARPCELL_LINE_OF_CALL) {
  return reduce(policy, first, last, init, plus<T>(), line);
}
WARPCELL_ALGORITHM(class I)
auto reduce(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) {
  return reduce(policy, first, last, internal::value_t<I>(), line);
}
WARPCELL_ALGORITHM(class I, class F, class T, class Op)
T transform_reduce(const P& policy, I first, I last, F f, T init, Op op, WARPCELL_LINE_OF_CALL) {
  return internal::folded<T>(policy, line, internal::Seen<I, F>{first, f}, size_t(last - first), op, init);
}
WARPCELL_ALGORITHM(class A, class B, class T, class Add, class Times)
T inner_product(const P& policy, A first, A last, B second, T init, Add add, Times times, WARPCELL_LINE_OF_CALL) {
  internal::SeenPairs<A, B, Times> products{first, second, times};
  return internal::folded<T>(policy, line, products, size_t(last - first), add, init);
}
WARPCELL_ALGORITHM(class A, class B, class T)
T inner_product(const P& policy, A first, A last, B second, T init, WARPCELL_LINE_OF_CALL) {
  return inner_product(policy, first, last, second, init, plus<T>(), multiplies<T>(), line);
}
WARPCELL_ALGORITHM(class I, class Test)
ptrdiff_t count_if(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  internal::Counted<I, Test> counted{first, test};
  return ptrdiff_t(internal::folded<size_t>(policy, line, counted, size_t(last - first), plus<size_t>(), size_t(0)));
}
WARPCELL_ALGORITHM(class I, class T)
ptrdiff_t count(const P& policy, I first, I last, const T& value, WARPCELL_LINE_OF_CALL) {
  return count_if(policy, first, last, internal::IsValue<T>{value}, line);
}
WARPCELL_ALGORITHM(class I, class Test)
I find_if(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  size_t n = size_t(last - first);
  internal::Found<I, Test> found{first, test, n};
  return first + ptrdiff_t(internal::folded<size_t>(policy, line, found, n, minimum<size_t>(), n));
}
WARPCELL_ALGORITHM(class I, class Test)
I find_if_not(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  return find_if(policy, first, last, not_fn(test), line);
}
WARPCELL_ALGORITHM(class I, class T)
I find(const P& policy, I first, I last, const T& value, WARPCELL_LINE_OF_CALL) {
  return find_if(policy, first, last, internal::IsValue<T>{value}, line);
}
WARPCELL_ALGORITHM(class I, class Test)
bool any_of(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  return find_if(policy, first, last, test, line) != last;
}
WARPCELL_ALGORITHM(class I, class Test)
bool none_of(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  return find_if(policy, first, last, test, line) == last;
}
WARPCELL_ALGORITHM(class I, class Test)
bool all_of(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  return find_if(policy, first, last, not_fn(test), line) == last;
}
WARPCELL_ALGORITHM(class A, class B, class Same)
bool equal(const P& policy, A first, A last, B second, Same same, WARPCELL_LINE_OF_CALL) {
  internal::SeenPairs<A, B, Same> pairs{first, second, same};
  return internal::folded<bool>(policy, line, pairs, size_t(last - first), logical_and<bool>(), true);
}
WARPCELL_ALGORITHM(class A, class B)
bool equal(const P& policy, A first, A last, B second, WARPCELL_LINE_OF_CALL) {
  return equal(policy, first, last, second, equal_to<>(), line);
}
WARPCELL_ALGORITHM(class I, class Less)
I min_element(const P& policy, I first, I last, Less less, WARPCELL_LINE_OF_CALL) {
  internal::Lesser<I, Less> lesser{first, less};
  return first + ptrdiff_t(internal::folded<size_t>(policy, line, internal::Numbers(), size_t(last - first), lesser,
                                                    size_t(0)));
}
WARPCELL_ALGORITHM(class I, class Less)
I max_element(const P& policy, I first, I last, Less less, WARPCELL_LINE_OF_CALL) {
  internal::Greater<I, Less> greater{first, less};
  return first + ptrdiff_t(internal::folded<size_t>(policy, line, internal::Numbers(), size_t(last - first), greater,
                                                    size_t(0)));
}
WARPCELL_ALGORITHM(class I, class Less)
pair<I, I> minmax_element(const P& policy, I first, I last, Less less, WARPCELL_LINE_OF_CALL) {
  return {min_element(policy, first, last, less, line), max_element(policy, first, last, less, line)};
}
WARPCELL_ALGORITHM(class I)
I min_element(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) {
  return min_element(policy, first, last, less<>(), line);
}
WARPCELL_ALGORITHM(class I)
I max_element(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) {
  return max_element(policy, first, last, less<>(), line);
}
WARPCELL_ALGORITHM(class I)
pair<I, I> minmax_element(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) {
  return minmax_element(policy, first, last, less<>(), line);
}

WARPCELL_PLAIN_3(for_each)
WARPCELL_PLAIN_3(for_each_n)
WARPCELL_PLAIN_3(fill)
WARPCELL_PLAIN_3(fill_n)
WARPCELL_PLAIN_3(tabulate)
WARPCELL_PLAIN_2(sequence)
WARPCELL_PLAIN_3(sequence)
WARPCELL_PLAIN_4(sequence)
WARPCELL_PLAIN_3(generate)
WARPCELL_PLAIN_4(transform)
WARPCELL_PLAIN_5(transform)
WARPCELL_PLAIN_5(transform_if)
WARPCELL_PLAIN_6(transform_if)
WARPCELL_PLAIN_4(replace_if)
WARPCELL_PLAIN_4(replace)
WARPCELL_PLAIN_3(adjacent_difference)
WARPCELL_PLAIN_4(adjacent_difference)
WARPCELL_PLAIN_4(gather)
WARPCELL_PLAIN_4(scatter)
WARPCELL_PLAIN_3(swap_ranges)
WARPCELL_PLAIN_2(reverse)
WARPCELL_PLAIN_3(reverse_copy)
WARPCELL_PLAIN_2(reduce)
WARPCELL_PLAIN_3(reduce)
WARPCELL_PLAIN_4(reduce)
WARPCELL_PLAIN_5(transform_reduce)
WARPCELL_PLAIN_4(inner_product)
WARPCELL_PLAIN_6(inner_product)
WARPCELL_PLAIN_3(count_if)
WARPCELL_PLAIN_3(count)
WARPCELL_PLAIN_3(find_if)
WARPCELL_PLAIN_3(find_if_not)
WARPCELL_PLAIN_3(find)
WARPCELL_PLAIN_3(any_of)
WARPCELL_PLAIN_3(none_of)
WARPCELL_PLAIN_3(all_of)
WARPCELL_PLAIN_3(equal)
WARPCELL_PLAIN_4(equal)
WARPCELL_PLAIN_2(min_element)
WARPCELL_PLAIN_3(min_element)
WARPCELL_PLAIN_2(max_element)
WARPCELL_PLAIN_3(max_element)
WARPCELL_PLAIN_2(minmax_element)
WARPCELL_PLAIN_3(minmax_element)

}  // namespace warpcell_thrust
