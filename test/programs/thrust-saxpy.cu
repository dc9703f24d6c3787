// y = a x + y three ways: as one functor, as two transformations with a vector in between, as an expression.
#include <cstdio>
#include <cstdlib>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/transform.h>

struct saxpy_functor : public thrust::binary_function<float, float, float> {
  const float a;
  saxpy_functor(float _a) : a(_a) {}
  __host__ __device__ float operator()(const float& x, const float& y) const { return a * x + y; }
};

void saxpy_fast(float a, thrust::device_vector<float>& x, thrust::device_vector<float>& y) {
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy_functor(a));
}

void saxpy_slow(float a, thrust::device_vector<float>& x, thrust::device_vector<float>& y) {
  thrust::device_vector<float> temp(x.size());
  thrust::fill(temp.begin(), temp.end(), a);
  thrust::transform(x.begin(), x.end(), temp.begin(), temp.begin(), thrust::multiplies<float>());
  thrust::transform(temp.begin(), temp.end(), y.begin(), y.begin(), thrust::plus<float>());
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::host_vector<float> x(n), y(n);
  for (int i = 0; i < n; i++) {
    x[i] = (i * 37 + seed) % 101 / 8.0f;
    y[i] = (i * 11 + seed) % 53 / 4.0f;
  }
  thrust::device_vector<float> X = x, Y = y;
  saxpy_fast(2.0f, X, Y);
  saxpy_slow(0.5f, X, Y);
  using namespace thrust::placeholders;
  thrust::transform(X.begin(), X.end(), Y.begin(), Y.begin(), 4.0f * _1 - _2);

  thrust::copy(Y.begin(), Y.end(), y.begin());
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i] * (i % 97);
  printf("%.4f\n", sum);
  Y[0] = 5;
  Y[1] = Y[0] + 1;
  printf("%g %g of %d\n", (float)Y.front(), (float)Y[1], (int)Y.size());
  return 0;
}
