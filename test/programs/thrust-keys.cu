// Values with keys: sorted together, added up by key, scanned by key, and fetched through permutations; a sum of each
// row of a matrix.
#include <cstdio>
#include <cstdlib>

#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

template <typename T>
struct linear_index_to_row_index : public thrust::unary_function<T, T> {
  T C;
  __host__ __device__ linear_index_to_row_index(T C) : C(C) {}
  __host__ __device__ T operator()(T i) { return i / C; }
};

template <typename Vector>
void print(const char* name, const Vector& v, size_t n) {
  thrust::host_vector<int> h(v.begin(), v.begin() + n);
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += h[i] * (long long)(i % 97);
  printf("%s: %lld\n", name, sum);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::host_vector<int> k(n), v(n);
  for (int i = 0; i < n; i++) {
    k[i] = (i * 7919 + seed) % 57;
    v[i] = i;
  }
  thrust::device_vector<int> keys = k, values = v, keys_out(n), out(n);
  // Stable: values of equal keys stay in their order.
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
  print("values by key", values, n);
  auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), keys_out.begin(), out.begin());
  size_t runs = ends.first - keys_out.begin();
  printf("%d runs\n", (int)runs);
  print("sums", out, runs);
  thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), keys_out.begin(), out.begin(),
                        thrust::equal_to<int>(), thrust::maximum<int>());
  print("highest", out, runs);
  thrust::inclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), out.begin());
  print("running", out, n);
  thrust::exclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), out.begin(), 100);
  print("before", out, n);
  thrust::sort_by_key(values.begin(), values.end(), keys.begin(), thrust::greater<int>());
  print("back, from the last", keys, n);

  thrust::device_vector<int> map(n);
  thrust::sequence(map.begin(), map.end(), n - 1, -1);
  thrust::gather(map.begin(), map.end(), keys.begin(), out.begin());
  print("gathered", out, n);
  thrust::scatter(keys.begin(), keys.end(), map.begin(), out.begin());
  print("scattered", out, n);
  int sum = thrust::reduce(thrust::make_permutation_iterator(keys.begin(), map.begin()),
                           thrust::make_permutation_iterator(keys.begin(), map.begin() + n / 2));
  printf("second half %d\n", sum);

  const int C = 10, R = n / C;
  thrust::device_vector<int> row_sums(R);
  auto rows = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), linear_index_to_row_index<int>(C));
  thrust::reduce_by_key(rows, rows + R * C, out.begin(), thrust::make_discard_iterator(), row_sums.begin());
  print("rows", row_sums, R);
  return 0;
}
