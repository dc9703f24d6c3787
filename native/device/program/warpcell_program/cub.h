// <cub/cub.cuh> and <cub/device/…> for the host code of a program. A first call says how much temporary storage an
// algorithm needs, a second one runs it there. (CUB, "Device-wide".)
#pragma once
#include <limits>

#include "thrust/ordering.h"

namespace cub {

using Sum = warpcell_thrust::plus<>;
using Difference = warpcell_thrust::minus<>;
using Max = warpcell_thrust::maximum<>;
using Min = warpcell_thrust::minimum<>;
using Equality = warpcell_thrust::equal_to<>;
template <class T>
using CountingInputIterator = warpcell_thrust::counting_iterator<T>;
template <class T>
using ConstantInputIterator = warpcell_thrust::constant_iterator<T>;
template <class T, class F, class I>
using TransformInputIterator = warpcell_thrust::transform_iterator<F, I, T>;
template <class T = void>
using DiscardOutputIterator = warpcell_thrust::discard_iterator<>;
template <class Key, class T>
using KeyValuePair = warpcell_algorithms::KeyValue<Key, T>;

// Two arrays, of which an algorithm may use either; it says which one has the result.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;
  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* other) : d_buffers{current, other} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

namespace internal {
using namespace warpcell_algorithms;

template <class Work>
cudaError_t in_two_calls(void* memory, size_t& bytes, cudaStream_t stream, CallLine line, Work work) {
  OnDevice measured(stream, line, true, nullptr);
  work(measured);
  size_t needed = measured.used() > 0 ? measured.used() : 1;
  if (memory == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return cudaErrorInvalidValue;
  OnDevice on(stream, line, false, memory);
  work(on);
  return cudaPeekAtLastError();
}
}  // namespace internal

// clang-format off
#define WARPCELL_STORAGE void *memory, size_t &bytes
#define WARPCELL_STREAM cudaStream_t stream = nullptr, WARPCELL_LINE_OF_CALL
// clang-format on

struct DeviceReduce {
  template <class In, class Out, class Op, class T>
  static cudaError_t Reduce(WARPCELL_STORAGE, In in, Out out, size_t n, Op op, T init, WARPCELL_STREAM) {
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      if (n == 0) return on.each(1, internal::Fill<Out, T>{out, init});
      const T* result = internal::fold<T>(on, in, n, op, internal::Start<T>{init, true});
      on.each(1, internal::Copy<const T*, Out>{result, out});
    });
  }
  template <class In, class F, class Out, class Op, class T>
  static cudaError_t TransformReduce(WARPCELL_STORAGE, In in, Out out, size_t n, Op op, F f, T init, WARPCELL_STREAM) {
    return Reduce(memory, bytes, warpcell_thrust::make_transform_iterator(in, f), out, n, op, init, stream, line);
  }
  template <class In, class Out>
  static cudaError_t Sum(WARPCELL_STORAGE, In in, Out out, size_t n, WARPCELL_STREAM) {
    using T = internal::value_t<Out>;
    return Reduce(memory, bytes, in, out, n, warpcell_thrust::plus<>(), T(), stream, line);
  }
  template <class In, class Out>
  static cudaError_t Min(WARPCELL_STORAGE, In in, Out out, size_t n, WARPCELL_STREAM) {
    using T = internal::value_t<In>;
    return Reduce(memory, bytes, in, out, n, warpcell_thrust::minimum<>(), std::numeric_limits<T>::max(), stream, line);
  }
  template <class In, class Out>
  static cudaError_t Max(WARPCELL_STORAGE, In in, Out out, size_t n, WARPCELL_STREAM) {
    using T = internal::value_t<In>;
    return Reduce(memory, bytes, in, out, n, warpcell_thrust::maximum<>(), std::numeric_limits<T>::lowest(), stream,
                  line);
  }
  template <class In, class Key, class T>
  static cudaError_t ArgMin(WARPCELL_STORAGE, In in, KeyValuePair<Key, T>* out, size_t n, WARPCELL_STREAM) {
    return extreme(memory, bytes, in, out, n, internal::Lesser<In, warpcell_thrust::less<>>{in, {}}, stream, line);
  }
  template <class In, class Key, class T>
  static cudaError_t ArgMax(WARPCELL_STORAGE, In in, KeyValuePair<Key, T>* out, size_t n, WARPCELL_STREAM) {
    return extreme(memory, bytes, in, out, n, internal::Greater<In, warpcell_thrust::less<>>{in, {}}, stream, line);
  }
  template <class Keys, class KeysOut, class Values, class ValuesOut, class Count, class Op>
  static cudaError_t ReduceByKey(WARPCELL_STORAGE, Keys keys, KeysOut keys_out, Values values, ValuesOut values_out,
                                 Count count, Op op, size_t n, WARPCELL_STREAM) {
    using T = internal::value_t<Values>;
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      if (n == 0) return on.each(1, internal::Fill<Count, size_t>{count, 0});
      internal::Heads<Keys, warpcell_thrust::equal_to<>> heads{keys, {}};
      const auto* last = internal::reduce_runs<T>(on, heads, keys, values, n, keys_out, values_out, op);
      on.each(1, internal::GiveCount<internal::Run<T>, Count>{last, count});
    });
  }

 private:
  template <class In, class KeyValue, class Op>
  static cudaError_t extreme(WARPCELL_STORAGE, In in, KeyValue* out, size_t n, Op op, cudaStream_t stream,
                             internal::CallLine line) {
    if (n == 0) return cudaErrorInvalidValue;
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      const size_t* number = internal::fold<size_t>(on, internal::Numbers(), n, op, internal::Start<size_t>{0, false});
      on.each(1, internal::GiveNumbered<KeyValue, In>{number, in, out});
    });
  }
};

struct DeviceScan {
  template <class In, class Out>
  static cudaError_t InclusiveSum(WARPCELL_STORAGE, In in, Out out, size_t n, WARPCELL_STREAM) {
    return InclusiveScan(memory, bytes, in, out, warpcell_thrust::plus<>(), n, stream, line);
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(WARPCELL_STORAGE, In in, Out out, size_t n, WARPCELL_STREAM) {
    return ExclusiveScan(memory, bytes, in, out, warpcell_thrust::plus<>(), internal::value_t<In>(), n, stream, line);
  }
  template <class In, class Out, class Op>
  static cudaError_t InclusiveScan(WARPCELL_STORAGE, In in, Out out, Op op, size_t n, WARPCELL_STREAM) {
    using T = internal::value_t<In>;
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      internal::scan<true, T>(on, in, out, n, op, internal::Start<T>{T(), false});
    });
  }
  template <class In, class Out, class Op, class T>
  static cudaError_t ExclusiveScan(WARPCELL_STORAGE, In in, Out out, Op op, T init, size_t n, WARPCELL_STREAM) {
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      internal::scan<false, T>(on, in, out, n, op, internal::Start<T>{init, true});
    });
  }
};

// Sorts by some bits of the keys, stably. (Here by merging: the order is that of the bits, not the way to it.)
struct DeviceRadixSort {
  // clang-format off
#define WARPCELL_RADIX_SORT(keys_name, pairs_name, is_descending) \
  template <class K> static cudaError_t keys_name(WARPCELL_STORAGE, const K* in, K* out, size_t n, int begin = 0, \
                                                  int end = sizeof(K) * 8, WARPCELL_STREAM) { \
    return sort(memory, bytes, in, out, (const int*)nullptr, (int*)nullptr, n, \
                internal::ByBits<K, is_descending>{begin, end}, stream, line); } \
  template <class K, class V> static cudaError_t pairs_name(WARPCELL_STORAGE, const K* in, K* out, const V* values, \
      V* values_out, size_t n, int begin = 0, int end = sizeof(K) * 8, WARPCELL_STREAM) { \
    return sort(memory, bytes, in, out, values, values_out, n, internal::ByBits<K, is_descending>{begin, end}, stream, \
                line); } \
  template <class K> static cudaError_t keys_name(WARPCELL_STORAGE, DoubleBuffer<K>& keys, size_t n, int begin = 0, \
                                                  int end = sizeof(K) * 8, WARPCELL_STREAM) { \
    cudaError_t error = keys_name(memory, bytes, (const K*)keys.Current(), keys.Alternate(), n, begin, end, stream, \
                                  line); \
    if (memory != nullptr) keys.selector ^= 1; \
    return error; } \
  template <class K, class V> static cudaError_t pairs_name(WARPCELL_STORAGE, DoubleBuffer<K>& keys, \
      DoubleBuffer<V>& values, size_t n, int begin = 0, int end = sizeof(K) * 8, WARPCELL_STREAM) { \
    cudaError_t error = pairs_name(memory, bytes, (const K*)keys.Current(), keys.Alternate(), \
                                   (const V*)values.Current(), values.Alternate(), n, begin, end, stream, line); \
    if (memory != nullptr) { keys.selector ^= 1; values.selector ^= 1; } \
    return error; }
  // clang-format on
  WARPCELL_RADIX_SORT(SortKeys, SortPairs, false)
  WARPCELL_RADIX_SORT(SortKeysDescending, SortPairsDescending, true)
#undef WARPCELL_RADIX_SORT

 private:
  template <class K, class V, class Less>
  static cudaError_t sort(WARPCELL_STORAGE, const K* in, K* out, const V* values, V* values_out, size_t n, Less less,
                          cudaStream_t stream, internal::CallLine line) {
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      on.each(n, internal::Copy<const K*, K*>{in, out});
      if (values_out == nullptr) return internal::sort_stretches(on, out, internal::NoValues(), n, less);
      on.each(n, internal::Copy<const V*, V*>{values, values_out});
      internal::sort_stretches(on, out, values_out, n, less);
    });
  }
};
struct DeviceMergeSort {
  template <class K, class Less>
  static cudaError_t SortKeys(WARPCELL_STORAGE, K keys, size_t n, Less less, WARPCELL_STREAM) {
    return internal::in_two_calls(memory, bytes, stream, line,
                                  [&](auto& on) { internal::sort_stretches(on, keys, internal::NoValues(), n, less); });
  }
  template <class K, class V, class Less>
  static cudaError_t SortPairs(WARPCELL_STORAGE, K keys, V values, size_t n, Less less, WARPCELL_STREAM) {
    return internal::in_two_calls(memory, bytes, stream, line,
                                  [&](auto& on) { internal::sort_stretches(on, keys, values, n, less); });
  }
};

struct DeviceHistogram {
  template <class In, class Counter, class Level>
  static cudaError_t HistogramEven(WARPCELL_STORAGE, In in, Counter* counts, int levels, Level low, Level high,
                                   size_t n, WARPCELL_STREAM) {
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      on.each(size_t(levels - 1), internal::Fill<Counter*, Counter>{counts, 0});
      on.each(n, internal::EvenHistogram<In, Counter, Level>{in, counts, levels - 1, low, high});
    });
  }
  template <class In, class Counter, class Level>
  static cudaError_t HistogramRange(WARPCELL_STORAGE, In in, Counter* counts, int levels, const Level* bounds, size_t n,
                                    WARPCELL_STREAM) {
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      on.each(size_t(levels - 1), internal::Fill<Counter*, Counter>{counts, 0});
      on.each(n, internal::RangeHistogram<In, Counter, Level>{in, counts, levels - 1, bounds});
    });
  }
};

struct DeviceSelect {
  template <class In, class Out, class Count, class Test>
  static cudaError_t If(WARPCELL_STORAGE, In in, Out out, Count count, size_t n, Test test, WARPCELL_STREAM) {
    return kept(memory, bytes, internal::Counted<In, Test>{in, test}, in, out, count, n, stream, line);
  }
  template <class In, class Flags, class Out, class Count>
  static cudaError_t Flagged(WARPCELL_STORAGE, In in, Flags flags, Out out, Count count, size_t n, WARPCELL_STREAM) {
    return kept(memory, bytes, internal::Counted<Flags, internal::IsTrue>{flags, {}}, in, out, count, n, stream, line);
  }
  template <class In, class Out, class Count>
  static cudaError_t Unique(WARPCELL_STORAGE, In in, Out out, Count count, size_t n, WARPCELL_STREAM) {
    return kept(memory, bytes, internal::Heads<In, warpcell_thrust::equal_to<>>{in, {}}, in, out, count, n, stream,
                line);
  }

 private:
  template <class Chosen, class In, class Out, class Count>
  static cudaError_t kept(WARPCELL_STORAGE, Chosen chosen, In in, Out out, Count count, size_t n, cudaStream_t stream,
                          internal::CallLine line) {
    return internal::in_two_calls(memory, bytes, stream, line, [&](auto& on) {
      if (n == 0) return on.each(1, internal::Fill<Count, size_t>{count, 0});
      const size_t* last = internal::keep(on, chosen, in, out, n);
      on.each(1, internal::GiveCount<size_t, Count>{last, count});
    });
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Out, class Lengths, class Count>
  static cudaError_t Encode(WARPCELL_STORAGE, In in, Out out, Lengths lengths, Count count, size_t n, WARPCELL_STREAM) {
    using One = warpcell_thrust::constant_iterator<int>;
    return DeviceReduce::ReduceByKey(memory, bytes, in, out, One(1), lengths, count, warpcell_thrust::plus<>(), n,
                                     stream, line);
  }
};

struct DeviceFor {
  template <class F>
  static cudaError_t Bulk(size_t n, F f, WARPCELL_STREAM) {
    internal::OnDevice(stream, line, false, nullptr).each(n, internal::Call<internal::Numbers, F>{{}, f});
    return cudaPeekAtLastError();
  }
  template <class I, class F>
  static cudaError_t ForEachN(I first, size_t n, F f, WARPCELL_STREAM) {
    internal::OnDevice(stream, line, false, nullptr).each(n, internal::Call<I, F>{first, f});
    return cudaPeekAtLastError();
  }
};

#undef WARPCELL_STORAGE
#undef WARPCELL_STREAM

}  // namespace cub
