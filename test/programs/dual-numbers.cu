// Derivatives by numbers with an infinitesimal part: the same function for doubles and dual numbers, and Newton's
// steps.
#include <cmath>
#include <cstdio>
#include <cstdlib>

template <class T>
struct Dual {
  T value, slope;
  __host__ __device__ constexpr Dual(T value = T(0), T slope = T(0)) : value(value), slope(slope) {}
  __host__ __device__ friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  __host__ __device__ friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  __host__ __device__ friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  __host__ __device__ friend Dual operator/(Dual a, Dual b) {
    return {a.value / b.value, (a.slope * b.value - a.value * b.slope) / (b.value * b.value)};
  }
};
template <class T>
__host__ __device__ Dual<T> exp(Dual<T> x) {
  return {::exp(x.value), x.slope * ::exp(x.value)};
}
template <class T>
__host__ __device__ Dual<T> sin(Dual<T> x) {
  return {::sin(x.value), x.slope * ::cos(x.value)};
}

struct Curve {
  double shift;
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return exp(x) * x - sin(x) / (x * x + T(2)) - T(shift);
  }
};

template <class F>
__global__ void solve(const F* functions, double* roots, double* slopes, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const F f = functions[i];
  double x = 1;
  for (int step = 0; step < steps; step++) {
    auto at = f(Dual<double>(x, 1));
    x -= at.value / at.slope;
  }
  roots[i] = x;
  slopes[i] = f(Dual<double>(x, 1)).slope;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  Curve* curves;
  double *roots, *slopes;
  cudaMallocManaged(&curves, n * sizeof(Curve));
  cudaMallocManaged(&roots, n * sizeof(double));
  cudaMallocManaged(&slopes, n * sizeof(double));
  for (int i = 0; i < n; i++) curves[i].shift = 0.5 + i * 0.25;
  solve<<<(n + 31) / 32, 32>>>(curves, roots, slopes, n, 30);
  cudaDeviceSynchronize();
  double worst = 0;
  for (int i = 0; i < n; i++) worst = std::fmax(worst, std::fabs(curves[i](roots[i])));
  printf("solved %d\n", worst < 1e-12);
  for (int i = 0; i < n; i++) printf("%.9f %.9f\n", roots[i], slopes[i]);
  cudaFree(curves);
  cudaFree(roots);
  cudaFree(slopes);
}
