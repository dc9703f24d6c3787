// Thrust's scans, what it keeps of elements, runs of keys, and order. (Thrust, "Algorithms".)
#pragma once
#include "algorithms.h"

namespace warpcell_thrust {

// --- scans

WARPCELL_ALGORITHM(class I, class Out, class Op)
Out inclusive_scan(const P& policy, I first, I last, Out out, Op op, WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<I>;
  internal::run(policy, line, [&](auto& on) {
    internal::scan<true, T>(on, first, out, size_t(last - first), op, internal::Start<T>{T(), false});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class I, class Out)
Out inclusive_scan(const P& policy, I first, I last, Out out, WARPCELL_LINE_OF_CALL) {
  return inclusive_scan(policy, first, last, out, plus<internal::value_t<I>>(), line);
}
WARPCELL_ALGORITHM(class I, class Out, class T, class Op)
Out exclusive_scan(const P& policy, I first, I last, Out out, T init, Op op, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) {
    internal::scan<false, T>(on, first, out, size_t(last - first), op, internal::Start<T>{init, true});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class I, class Out, class T)
Out exclusive_scan(const P& policy, I first, I last, Out out, T init, WARPCELL_LINE_OF_CALL) {
  return exclusive_scan(policy, first, last, out, init, plus<T>(), line);
}
WARPCELL_ALGORITHM(class I, class Out)
Out exclusive_scan(const P& policy, I first, I last, Out out, WARPCELL_LINE_OF_CALL) {
  return exclusive_scan(policy, first, last, out, internal::value_t<I>(), line);
}
WARPCELL_ALGORITHM(class I, class Out, class F, class Op)
Out transform_inclusive_scan(const P& policy, I first, I last, Out out, F f, Op op, WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<Out>;
  internal::run(policy, line, [&](auto& on) {
    internal::scan<true, T>(on, internal::Seen<I, F>{first, f}, out, size_t(last - first), op,
                            internal::Start<T>{T(), false});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class I, class Out, class F, class T, class Op)
Out transform_exclusive_scan(const P& policy, I first, I last, Out out, F f, T init, Op op, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) {
    internal::scan<false, T>(on, internal::Seen<I, F>{first, f}, out, size_t(last - first), op,
                             internal::Start<T>{init, true});
  });
  return out + (last - first);
}

// --- what is kept

WARPCELL_ALGORITHM(class I, class S, class Out, class Test)
Out copy_if(const P& policy, I first, I last, S stencil, Out out, Test test, WARPCELL_LINE_OF_CALL) {
  size_t n = size_t(last - first);
  if (n == 0) return out;
  internal::Counted<S, Test> chosen{stencil, test};
  return out + ptrdiff_t(internal::run(policy, line,
                                       [&](auto& on) { return on.read(internal::keep(on, chosen, first, out, n)); }));
}
WARPCELL_ALGORITHM(class I, class Out, class Test)
Out copy_if(const P& policy, I first, I last, Out out, Test test, WARPCELL_LINE_OF_CALL) {
  return copy_if(policy, first, last, first, out, test, line);
}
WARPCELL_ALGORITHM(class I, class Out, class Test)
Out remove_copy_if(const P& policy, I first, I last, Out out, Test test, WARPCELL_LINE_OF_CALL) {
  return copy_if(policy, first, last, first, out, not_fn(test), line);
}
WARPCELL_ALGORITHM(class I, class S, class Test)
I remove_if(const P& policy, I first, I last, S stencil, Test test, WARPCELL_LINE_OF_CALL) {
  size_t n = size_t(last - first);
  if (n == 0) return last;
  internal::Counted<S, unary_negate<Test>> chosen{stencil, not_fn(test)};
  return first + ptrdiff_t(internal::run(policy, line,
                                         [&](auto& on) { return on.read(internal::keep_here(on, chosen, first, n)); }));
}
WARPCELL_ALGORITHM(class I, class Test)
I remove_if(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<I>;
  size_t n = size_t(last - first);
  if (n == 0) return last;
  return first + ptrdiff_t(internal::run(policy, line, [&](auto& on) {
           T* kept = on.template room<T>(n);
           on.each(n, internal::Copy<I, T*>{first, kept});
           internal::Counted<T*, unary_negate<Test>> chosen{kept, not_fn(test)};
           return on.read(internal::keep(on, chosen, kept, first, n));
         }));
}
WARPCELL_ALGORITHM(class I, class T)
I remove(const P& policy, I first, I last, const T& value, WARPCELL_LINE_OF_CALL) {
  return remove_if(policy, first, last, internal::IsValue<T>{value}, line);
}
WARPCELL_ALGORITHM(class I, class Test)
I partition(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<I>;
  size_t n = size_t(last - first);
  if (n == 0) return last;
  return first + ptrdiff_t(internal::run(policy, line, [&](auto& on) {
           T* kept = on.template room<T>(n);
           on.each(n, internal::Copy<I, T*>{first, kept});
           using Chosen = internal::Counted<T*, Test>;
           Chosen chosen{kept, test};
           const size_t* counts = internal::counts_of(on, chosen, n);
           on.each(n, internal::Part<Chosen, T*, I>{chosen, kept, counts, first, n});
           return on.read(counts + (n - 1));
         }));
}
WARPCELL_ALGORITHM(class I, class Test)
I stable_partition(const P& policy, I first, I last, Test test, WARPCELL_LINE_OF_CALL) {
  return partition(policy, first, last, test, line);
}
WARPCELL_ALGORITHM(class I, class Out, class Equal)
Out unique_copy(const P& policy, I first, I last, Out out, Equal equal, WARPCELL_LINE_OF_CALL) {
  size_t n = size_t(last - first);
  if (n == 0) return out;
  internal::Heads<I, Equal> heads{first, equal};
  return out + ptrdiff_t(internal::run(policy, line,
                                       [&](auto& on) { return on.read(internal::keep(on, heads, first, out, n)); }));
}
WARPCELL_ALGORITHM(class I, class Out)
Out unique_copy(const P& policy, I first, I last, Out out, WARPCELL_LINE_OF_CALL) {
  return unique_copy(policy, first, last, out, equal_to<>(), line);
}
WARPCELL_ALGORITHM(class I, class Equal)
I unique(const P& policy, I first, I last, Equal equal, WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<I>;
  size_t n = size_t(last - first);
  if (n == 0) return last;
  return first + ptrdiff_t(internal::run(policy, line, [&](auto& on) {
           T* kept = on.template room<T>(n);
           on.each(n, internal::Copy<I, T*>{first, kept});
           return on.read(internal::keep(on, internal::Heads<T*, Equal>{kept, equal}, kept, first, n));
         }));
}
WARPCELL_ALGORITHM(class I)
I unique(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) {
  return unique(policy, first, last, equal_to<>(), line);
}

// --- runs of keys

WARPCELL_ALGORITHM(class K, class V, class KeysOut, class ValuesOut, class Equal, class Op)
pair<KeysOut, ValuesOut> reduce_by_key(const P& policy, K first, K last, V values, KeysOut keys_out,
                                       ValuesOut values_out, Equal equal, Op op, WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<V>;
  size_t n = size_t(last - first);
  if (n == 0) return {keys_out, values_out};
  internal::Heads<K, Equal> heads{first, equal};
  auto runs =
      ptrdiff_t(internal::run(policy, line, [&](auto& on) {
                  return on.read(internal::reduce_runs<T>(on, heads, first, values, n, keys_out, values_out, op));
                }).count);
  return {keys_out + runs, values_out + runs};
}
WARPCELL_ALGORITHM(class K, class V, class KeysOut, class ValuesOut, class Equal)
auto reduce_by_key(const P& policy, K first, K last, V values, KeysOut keys_out, ValuesOut values_out, Equal equal,
                   WARPCELL_LINE_OF_CALL) {
  return reduce_by_key(policy, first, last, values, keys_out, values_out, equal, plus<internal::value_t<V>>(), line);
}
WARPCELL_ALGORITHM(class K, class V, class KeysOut, class ValuesOut)
auto reduce_by_key(const P& policy, K first, K last, V values, KeysOut keys_out, ValuesOut values_out,
                   WARPCELL_LINE_OF_CALL) {
  return reduce_by_key(policy, first, last, values, keys_out, values_out, equal_to<>(), line);
}
WARPCELL_ALGORITHM(class K, class V, class Equal)
pair<K, V> unique_by_key(const P& policy, K first, K last, V values, Equal equal, WARPCELL_LINE_OF_CALL) {
  using Pairs = zip_iterator<tuple<K, V>>;
  using Pair = tuple<internal::value_t<K>, internal::value_t<V>>;
  size_t n = size_t(last - first);
  if (n == 0) return {first, values};
  Pairs pairs(tuple<K, V>(first, values));
  auto kept = ptrdiff_t(internal::run(policy, line, [&](auto& on) {
    auto* keys = on.template room<internal::value_t<K>>(n);
    auto* all = on.template room<Pair>(n);
    on.each(n, internal::Copy<K, internal::value_t<K>*>{first, keys});
    on.each(n, internal::Copy<Pairs, Pair*>{pairs, all});
    return on.read(internal::keep(on, internal::Heads<internal::value_t<K>*, Equal>{keys, equal}, all, pairs, n));
  }));
  return {first + kept, values + kept};
}
WARPCELL_ALGORITHM(class K, class V)
auto unique_by_key(const P& policy, K first, K last, V values, WARPCELL_LINE_OF_CALL) {
  return unique_by_key(policy, first, last, values, equal_to<>(), line);
}
WARPCELL_ALGORITHM(class K, class V, class Out, class Equal, class Op)
Out inclusive_scan_by_key(const P& policy, K first, K last, V values, Out out, Equal equal, Op op,
                          WARPCELL_LINE_OF_CALL) {
  using T = internal::value_t<V>;
  using Heads = internal::Heads<K, Equal>;
  size_t n = size_t(last - first);
  internal::run(policy, line, [&](auto& on) {
    auto* runs = on.template room<internal::Run<T>>(n);
    internal::scan<true, internal::Run<T>>(on, internal::Runs<Heads, V, T>{{first, equal}, values}, runs, n,
                                           internal::WithinRuns<T, Op>{op}, {internal::Run<T>(), false});
    on.each(n, internal::GiveValues<T, Out>{runs, out});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class K, class V, class Out)
Out inclusive_scan_by_key(const P& policy, K first, K last, V values, Out out, WARPCELL_LINE_OF_CALL) {
  return inclusive_scan_by_key(policy, first, last, values, out, equal_to<>(), plus<internal::value_t<V>>(), line);
}
WARPCELL_ALGORITHM(class K, class V, class Out, class T)
Out exclusive_scan_by_key(const P& policy, K first, K last, V values, Out out, T init, WARPCELL_LINE_OF_CALL) {
  using Heads = internal::Heads<K, equal_to<>>;
  size_t n = size_t(last - first);
  internal::run(policy, line, [&](auto& on) {
    auto* runs = on.template room<internal::Run<T>>(n);
    internal::scan<true, internal::Run<T>>(on, internal::RunsBefore<Heads, V, T>{{first, equal_to<>()}, values, init},
                                           runs, n, internal::WithinRuns<T, plus<T>>{plus<T>()},
                                           {internal::Run<T>(), false});
    on.each(n, internal::GiveValues<T, Out>{runs, out});
  });
  return out + (last - first);
}
WARPCELL_ALGORITHM(class K, class V, class Out)
Out exclusive_scan_by_key(const P& policy, K first, K last, V values, Out out, WARPCELL_LINE_OF_CALL) {
  return exclusive_scan_by_key(policy, first, last, values, out, internal::value_t<V>(), line);
}

// --- order

WARPCELL_ALGORITHM(class I, class Less)
void sort(const P& policy, I first, I last, Less less, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line, [&](auto& on) {
    internal::sort_stretches(on, first, internal::NoValues(), size_t(last - first), less);
  });
}
WARPCELL_ALGORITHM(class I)
void sort(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) { sort(policy, first, last, less<>(), line); }
WARPCELL_ALGORITHM(class I, class Less)
void stable_sort(const P& policy, I first, I last, Less less, WARPCELL_LINE_OF_CALL) {
  sort(policy, first, last, less, line);
}
WARPCELL_ALGORITHM(class I)
void stable_sort(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) { sort(policy, first, last, less<>(), line); }
WARPCELL_ALGORITHM(class K, class V, class Less)
void sort_by_key(const P& policy, K first, K last, V values, Less less, WARPCELL_LINE_OF_CALL) {
  internal::run(policy, line,
                [&](auto& on) { internal::sort_stretches(on, first, values, size_t(last - first), less); });
}
WARPCELL_ALGORITHM(class K, class V)
void sort_by_key(const P& policy, K first, K last, V values, WARPCELL_LINE_OF_CALL) {
  sort_by_key(policy, first, last, values, less<>(), line);
}
WARPCELL_ALGORITHM(class K, class V, class Less)
void stable_sort_by_key(const P& policy, K first, K last, V values, Less less, WARPCELL_LINE_OF_CALL) {
  sort_by_key(policy, first, last, values, less, line);
}
WARPCELL_ALGORITHM(class K, class V)
void stable_sort_by_key(const P& policy, K first, K last, V values, WARPCELL_LINE_OF_CALL) {
  sort_by_key(policy, first, last, values, less<>(), line);
}
WARPCELL_ALGORITHM(class I, class Less)
bool is_sorted(const P& policy, I first, I last, Less less, WARPCELL_LINE_OF_CALL) {
  if (last - first < 2) return true;
  internal::SeenPairs<I, I, Less> falls{first + 1, first, less};
  return !internal::folded<bool>(policy, line, falls, size_t(last - first) - 1, logical_or<bool>(), false);
}
WARPCELL_ALGORITHM(class I)
bool is_sorted(const P& policy, I first, I last, WARPCELL_LINE_OF_CALL) {
  return is_sorted(policy, first, last, less<>(), line);
}
WARPCELL_ALGORITHM(class A, class B, class Out, class Less)
Out merge(const P& policy, A first, A last, B second, B second_last, Out out, Less less, WARPCELL_LINE_OF_CALL) {
  auto as = size_t(last - first), bs = size_t(second_last - second);
  using None = internal::NoValues;
  internal::Merge<A, B, None, None, Out, None, Less> merge{first, as, second, bs, {}, {}, out, {}, less};
  internal::run(policy, line, [&](auto& on) { on.each(internal::pieces_of(as + bs, internal::kStretch), merge); });
  return out + ptrdiff_t(as + bs);
}
WARPCELL_ALGORITHM(class A, class B, class Out)
Out merge(const P& policy, A first, A last, B second, B second_last, Out out, WARPCELL_LINE_OF_CALL) {
  return merge(policy, first, last, second, second_last, out, less<>(), line);
}
// clang-format off
#define WARPCELL_BINARY_SEARCH(name, bound) \
  WARPCELL_ALGORITHM(class I, class S, class Out, class Less) \
  Out name(const P& policy, I first, I last, S wanted, S end, Out out, Less less, WARPCELL_LINE_OF_CALL) { \
    using Search = internal::BinarySearch<internal::Bound::bound, I, S, Out, Less>; \
    Search search{first, size_t(last - first), wanted, out, less}; \
    internal::run(policy, line, [&](auto& on) { on.each(size_t(end - wanted), search); }); \
    return out + (end - wanted); } \
  WARPCELL_ALGORITHM(class I, class S, class Out) \
  Out name(const P& policy, I first, I last, S wanted, S end, Out out, WARPCELL_LINE_OF_CALL) { \
    return name(policy, first, last, wanted, end, out, less<>(), line); } \
  WARPCELL_ALGORITHM(class I, class T) \
  auto name(const P& policy, I first, I last, const T& value, WARPCELL_LINE_OF_CALL) { \
    using Answer = typename internal::Answer<internal::Bound::bound, I>; \
    using Search = constant_iterator<T>; \
    return Answer::of(first, internal::run(policy, line, [&](auto& on) { \
      size_t* found = on.template room<size_t>(1); \
      on.each(1, internal::BinarySearch<internal::Bound::bound, I, Search, size_t*, less<>>{ \
        first, size_t(last - first), Search(value), found, less<>()}); \
      return on.read(found); })); } \
  WARPCELL_PLAIN_3(name) \
  WARPCELL_PLAIN_5(name) \
  WARPCELL_PLAIN_6(name)
// clang-format on
WARPCELL_BINARY_SEARCH(lower_bound, lower)
WARPCELL_BINARY_SEARCH(upper_bound, upper)
WARPCELL_BINARY_SEARCH(binary_search, is_there)
#undef WARPCELL_BINARY_SEARCH

WARPCELL_PLAIN_3(inclusive_scan)
WARPCELL_PLAIN_4(inclusive_scan)
WARPCELL_PLAIN_3(exclusive_scan)
WARPCELL_PLAIN_4(exclusive_scan)
WARPCELL_PLAIN_5(exclusive_scan)
WARPCELL_PLAIN_5(transform_inclusive_scan)
WARPCELL_PLAIN_6(transform_exclusive_scan)
WARPCELL_PLAIN_4(copy_if)
WARPCELL_PLAIN_5(copy_if)
WARPCELL_PLAIN_4(remove_copy_if)
WARPCELL_PLAIN_3(remove_if)
WARPCELL_PLAIN_4(remove_if)
WARPCELL_PLAIN_3(remove)
WARPCELL_PLAIN_3(partition)
WARPCELL_PLAIN_3(stable_partition)
WARPCELL_PLAIN_3(unique_copy)
WARPCELL_PLAIN_4(unique_copy)
WARPCELL_PLAIN_2(unique)
WARPCELL_PLAIN_3(unique)
WARPCELL_PLAIN_5(reduce_by_key)
WARPCELL_PLAIN_6(reduce_by_key)
WARPCELL_PLAIN_7(reduce_by_key)
WARPCELL_PLAIN_3(unique_by_key)
WARPCELL_PLAIN_4(unique_by_key)
WARPCELL_PLAIN_4(inclusive_scan_by_key)
WARPCELL_PLAIN_6(inclusive_scan_by_key)
WARPCELL_PLAIN_4(exclusive_scan_by_key)
WARPCELL_PLAIN_5(exclusive_scan_by_key)
WARPCELL_PLAIN_2(sort)
WARPCELL_PLAIN_3(sort)
WARPCELL_PLAIN_2(stable_sort)
WARPCELL_PLAIN_3(stable_sort)
WARPCELL_PLAIN_3(sort_by_key)
WARPCELL_PLAIN_4(sort_by_key)
WARPCELL_PLAIN_3(stable_sort_by_key)
WARPCELL_PLAIN_4(stable_sort_by_key)
WARPCELL_PLAIN_2(is_sorted)
WARPCELL_PLAIN_3(is_sorted)
WARPCELL_PLAIN_5(merge)
WARPCELL_PLAIN_6(merge)

}  // namespace warpcell_thrust
