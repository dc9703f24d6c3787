// Searches and merges in what is in order, questions about all elements, exchanges of places, and the algorithms of
// Thrust and CUB that textbooks use less; also on the host, by the same names.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/binary_search.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/reverse.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>
#include <thrust/zip_function.h>

struct times {
  int by;
  __host__ __device__ int operator()(int x) const { return x * by; }
};
struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct same_ten {
  __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};
struct add3 {
  __host__ __device__ int operator()(int a, int b, int c) const { return a + b * c; }
};
struct seven {
  __host__ __device__ int operator()() const { return 7; }
};

template <typename Iterator>
void print(const char* name, Iterator first, Iterator last) {
  thrust::host_vector<int> h(first, last);
  long long sum = 0;
  for (size_t i = 0; i < h.size(); i++) sum += h[i] * (long long)(i % 97);
  printf("%s %d: %lld\n", name, (int)h.size(), sum);
}

template <typename Vector, typename Wanted>
void all(Vector x, Wanted wanted) {
  int n = x.size();
  Vector y(n), z(2 * n);
  thrust::sort(x.begin(), x.end());
  thrust::lower_bound(x.begin(), x.end(), wanted.begin(), wanted.end(), y.begin());
  print("lower", y.begin(), y.end());
  thrust::binary_search(x.begin(), x.end(), wanted.begin(), wanted.end(), y.begin());
  print("there", y.begin(), y.end());
  printf("one: %d %d %d\n", int(thrust::lower_bound(x.begin(), x.end(), 50) - x.begin()),
         int(thrust::upper_bound(x.begin(), x.end(), 50) - x.begin()),
         int(thrust::binary_search(x.begin(), x.end(), 50)));
  thrust::transform(x.begin(), x.end(), y.begin(), times{2});
  print("merged", z.begin(), thrust::merge(x.begin(), x.end(), y.begin(), y.end(), z.begin()));
  thrust::reverse(y.begin(), y.end());
  printf("in order: %d %d %d\n", (int)thrust::is_sorted(x.begin(), x.end()), (int)thrust::is_sorted(y.begin(), y.end()),
         (int)thrust::is_sorted(y.begin(), y.end(), thrust::greater<int>()));
  thrust::swap_ranges(x.begin(), x.begin() + n / 2, y.begin());
  print("swapped", x.begin(), x.end());
  print("reversed", z.begin(), thrust::reverse_copy(x.begin(), x.end(), z.begin()));
  printf("equal: %d %d\n", (int)thrust::equal(x.begin(), x.end(), x.begin()),
         (int)thrust::equal(x.begin(), x.end(), y.begin()));
  printf("odd: first %d, first even %d, any %d, all %d, none %d\n",
         int(thrust::find_if(x.begin(), x.end(), is_odd()) - x.begin()),
         int(thrust::find_if_not(x.begin(), x.end(), is_odd()) - x.begin()),
         (int)thrust::any_of(x.begin(), x.end(), is_odd()), (int)thrust::all_of(x.begin(), x.end(), is_odd()),
         (int)thrust::none_of(x.begin(), x.end(), is_odd()));
  printf("found at %d\n", int(thrust::find(x.begin(), x.end(), (int)x[n / 3]) - x.begin()));
  thrust::transform_if(x.begin(), x.end(), y.begin(), times{-1}, is_odd());
  print("odd ones negated", y.begin(), y.end());
  print("even", z.begin(), thrust::remove_copy_if(x.begin(), x.end(), z.begin(), is_odd()));
  print("tens", z.begin(), thrust::unique_copy(x.begin(), x.end(), z.begin(), same_ten()));
  thrust::sequence(y.begin(), y.end());
  thrust::transform_exclusive_scan(x.begin(), x.end(), z.begin(), times{3}, 5, thrust::plus<int>());
  print("scanned", z.begin(), z.begin() + n);
  thrust::inclusive_scan(thrust::make_reverse_iterator(x.end()), thrust::make_reverse_iterator(x.begin()), z.begin());
  print("from the end", z.begin(), z.begin() + n);
  auto kept = thrust::unique_by_key(x.begin(), x.end(), y.begin(), same_ten());
  print("keys", x.begin(), kept.first);
  print("their places", y.begin(), kept.second);
  thrust::generate(y.begin(), y.end(), seven());
  auto zipped = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), y.begin()));
  thrust::transform(zipped, zipped + n / 4, z.begin(), thrust::make_zip_function(add3()));
  print("three", z.begin(), z.begin() + n / 4);
  y.insert(y.begin() + 1, x.begin(), x.begin() + 3);
  y.push_back(11);
  y.erase(y.begin());
  print("longer", y.begin(), y.end());
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::host_vector<int> h(n), wanted(n);
  for (int i = 0; i < n; i++) {
    h[i] = (i * 7919 + seed) % 301;
    wanted[i] = (i * 31 + seed) % 310;
  }
  all(h, wanted);
  thrust::device_vector<int> x = h, w = wanted;
  all(x, w);

  // CUB.
  thrust::device_vector<int> keys = h, values(n), keys_out(n), out(n), count(1);
  thrust::sequence(values.begin(), values.end());
  int *k = thrust::raw_pointer_cast(keys.data()), *v = thrust::raw_pointer_cast(values.data());
  int *ko = thrust::raw_pointer_cast(keys_out.data()), *o = thrust::raw_pointer_cast(out.data());
  int* c = thrust::raw_pointer_cast(count.data());
  thrust::device_vector<char> storage;
  auto in_two_calls = [&](auto call) {
    size_t bytes = 0;
    call(nullptr, bytes);
    storage.resize(bytes);
    if (call(thrust::raw_pointer_cast(storage.data()), bytes) != cudaSuccess) printf("failed\n");
  };
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceReduce::Min(s, b, k, c, n); });
  print("min", count.begin(), count.end());
  in_two_calls(
      [&](void* s, size_t& b) { return cub::DeviceReduce::TransformReduce(s, b, k, c, n, cub::Sum(), times{2}, 1); });
  printf("twice %d\n", (int)count[0]);
  thrust::device_vector<cub::KeyValuePair<int, int>> least(1);
  in_two_calls([&](void* s, size_t& b) {
    return cub::DeviceReduce::ArgMin(s, b, k, thrust::raw_pointer_cast(least.data()), n);
  });
  cub::KeyValuePair<int, int> pair = least[0];
  printf("least %d at %d\n", pair.value, pair.key);
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceMergeSort::SortPairs(s, b, k, v, n, thrust::less<int>()); });
  print("sorted", values.begin(), values.end());
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceReduce::ReduceByKey(s, b, k, ko, v, o, c, cub::Max(), n); });
  print("highest", out.begin(), out.begin() + (int)count[0]);
  std::vector<int> bounds = {0, 10, 100, 150, 400};
  thrust::device_vector<int> levels = bounds;
  in_two_calls([&](void* s, size_t& b) {
    return cub::DeviceHistogram::HistogramRange(s, b, k, o, 5, thrust::raw_pointer_cast(levels.data()), n);
  });
  print("ranges", out.begin(), out.begin() + 4);
  cub::DeviceFor::Bulk(n, [=] __device__(int i) { o[i] = k[i] + i; });
  print("bulk", out.begin(), out.end());
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceScan::InclusiveScan(s, b, k, o, cub::Max(), n); });
  printf("in order %d\n", (int)thrust::equal(keys.begin(), keys.end(), out.begin()));
  thrust::device_ptr<int> own = thrust::device_malloc<int>(4);
  thrust::fill(own, own + 4, 9);
  printf("nines %d\n", thrust::reduce(own, own + 4));
  thrust::device_free(own);
  return 0;
}
