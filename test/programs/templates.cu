// Kernels that are templates: arguments explicit and deduced, functors, functions of the device, values.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

namespace ops {
struct Twice {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x + x;
  }
};
struct Plus {
  int by;
  __host__ __device__ int operator()(int x) const { return x + by; }
};
template <class T, class Op>
__global__ void map(T* x, int n, Op op) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = op(x[i]);
}
}  // namespace ops

__device__ int negate(int x) { return -x; }
__device__ int cube(int x) { return x * x * x; }

template <int (*F)(int), int Block>
__global__ void apply(int* x, int n) {
  int i = blockIdx.x * Block + threadIdx.x;
  if (i < n) x[i] = F(x[i]);
}

enum class Mode { add, multiply };
template <Mode M, typename T, unsigned Times>
__global__ void repeat(T* x, int n, T by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned k = 0; k < Times; k++) {
    if (M == Mode::add)
      x[i] += by;
    else
      x[i] *= by;
  }
}

template <class T>
struct Buffer {
  T* data = nullptr;
  int n;
  explicit Buffer(const std::vector<T>& from) : n((int)from.size()) {
    cudaMalloc(&data, n * sizeof(T));
    cudaMemcpy(data, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Buffer() { cudaFree(data); }
  std::vector<T> get() const {
    std::vector<T> values(n);
    cudaMemcpy(values.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
};

template <class T>
void twice_all(Buffer<T>& x) {
  ops::map<<<(x.n + 31) / 32, 32>>>(x.data, x.n, ops::Twice());
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> whole(n);
  std::vector<double> real(n);
  for (int i = 0; i < n; i++) real[i] = whole[i] = hash(i, seed) % 20;
  Buffer<int> x(whole);
  Buffer<double> y(real);
  const int grid = (n + 31) / 32;
  twice_all(x);
  twice_all(y);
  ops::map<int, ops::Plus><<<grid, 32>>>(x.data, n, ops::Plus{3});
  apply<negate, 32><<<grid, 32>>>(x.data, n);
  apply<&cube, 64><<<(n + 63) / 64, 64>>>(x.data, n);
  repeat<Mode::add, int, 3u><<<grid, 32>>>(x.data, n, 5);
  repeat<Mode::multiply, double, 2><<<grid, 32>>>(y.data, n, 0.5);
  long long sum = 0;
  double real_sum = 0;
  for (int value : x.get()) sum += value;
  for (double value : y.get()) real_sum += value;
  printf("%lld %.2f\n", sum, real_sum);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
