// Histograms by sorting: a dense one, of which each bin ends where a search says, and a sparse one of the values there
// are.
#include <cstdio>
#include <cstdlib>

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

template <typename Vector1, typename Vector2>
void dense_histogram(const Vector1& input, Vector2& histogram) {
  typedef typename Vector1::value_type ValueType;
  typedef typename Vector2::value_type IndexType;
  thrust::device_vector<ValueType> data(input);
  thrust::sort(data.begin(), data.end());
  IndexType num_bins = data.back() + 1;
  histogram.resize(num_bins);
  thrust::counting_iterator<IndexType> search_begin(0);
  thrust::upper_bound(data.begin(), data.end(), search_begin, search_begin + num_bins, histogram.begin());
  thrust::adjacent_difference(histogram.begin(), histogram.end(), histogram.begin());
}

template <typename Vector1, typename Vector2, typename Vector3>
void sparse_histogram(const Vector1& input, Vector2& values, Vector3& counts) {
  typedef typename Vector1::value_type ValueType;
  typedef typename Vector3::value_type IndexType;
  thrust::device_vector<ValueType> data(input);
  thrust::sort(data.begin(), data.end());
  IndexType num_bins = thrust::inner_product(data.begin(), data.end() - 1, data.begin() + 1, IndexType(1),
                                             thrust::plus<IndexType>(), thrust::not_equal_to<ValueType>());
  values.resize(num_bins);
  counts.resize(num_bins);
  thrust::reduce_by_key(data.begin(), data.end(), thrust::constant_iterator<IndexType>(1), values.begin(),
                        counts.begin());
}

template <typename Vector>
void print(const char* name, const Vector& v) {
  thrust::host_vector<typename Vector::value_type> h = v;
  printf("%s", name);
  for (size_t i = 0; i < h.size(); i++) printf(" %d", (int)h[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::host_vector<int> input(n);
  for (int i = 0; i < n; i++) {
    int a = (i * 29 + seed) % 13, b = (i * 17 + seed) % 11;
    input[i] = a * b % 23;
  }
  thrust::device_vector<int> histogram;
  dense_histogram(input, histogram);
  print("dense", histogram);
  thrust::device_vector<int> values, counts;
  sparse_histogram(input, values, counts);
  print("values", values);
  print("counts", counts);
  return 0;
}
