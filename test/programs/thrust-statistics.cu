// What all elements have in common: dot products, a norm, extremes with their places, and mean and variance in one pass
// over partial results that can be joined.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

template <typename T>
struct square {
  __host__ __device__ T operator()(const T& x) const { return x * x; }
};

struct summary {
  int n;
  double mean, M2;
};
struct summary_of {
  __host__ __device__ summary operator()(double x) const { return {1, x, 0}; }
};
struct join_summaries {
  __host__ __device__ summary operator()(const summary& a, const summary& b) const {
    int n = a.n + b.n;
    double delta = b.mean - a.mean;
    return {n, a.mean + delta * b.n / n, a.M2 + b.M2 + delta * delta * a.n / n * b.n};
  }
};

typedef thrust::tuple<float, float> Float2;
struct dot2 {
  __host__ __device__ double operator()(const Float2& a, const Float2& b) const {
    return double(thrust::get<0>(a)) * thrust::get<0>(b) + double(thrust::get<1>(a)) * thrust::get<1>(b);
  }
};
struct above {
  float limit;
  __device__ bool operator()(float x) { return x > limit; }
};

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::device_vector<float> x(n), y(n);
  for (int i = 0; i < n; i++) {
    x[i] = (i * 37 + seed) % 101 / 8.0f;
    y[i] = (i * 11 + seed) % 53 / 4.0f;
  }
  printf("dot %.4f\n", thrust::inner_product(x.begin(), x.end(), y.begin(), 0.0));
  printf("norm %.4f\n",
         std::sqrt(thrust::transform_reduce(x.begin(), x.end(), square<double>(), 0.0, thrust::plus<double>())));
  auto all = thrust::transform_reduce(x.begin() + 1, x.end(), summary_of(), summary{1, x[0], 0}, join_summaries());
  printf("mean %.4f variance %.4f of %d\n", all.mean, all.M2 / (all.n - 1), all.n);
  auto least = thrust::min_element(x.begin(), x.end());
  auto most = thrust::max_element(x.begin(), x.end());
  printf("least %.3f at %d, most %.3f at %d\n", (float)*least, int(least - x.begin()), (float)*most,
         int(most - x.begin()));
  auto both = thrust::minmax_element(y.begin(), y.end());
  printf("from %.2f to %.2f\n", (float)*both.first, (float)*both.second);
  auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
  auto swapped = thrust::make_zip_iterator(thrust::make_tuple(y.begin(), x.begin()));
  printf("of pairs %.4f\n", thrust::inner_product(pairs, pairs + n, swapped, 0.0, thrust::plus<double>(), dot2()));
  printf("above %d, equal %d\n", (int)thrust::count_if(x.begin(), x.end(), above{6.0f}),
         (int)thrust::count(x.begin(), x.end(), 1.0f));
  return 0;
}
