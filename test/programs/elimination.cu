// A linear system by elimination: one launch a column, a block a row.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

__global__ void eliminate(double* a, int n, int column) {
  int row = column + 1 + blockIdx.x;
  double factor = a[row * (n + 1) + column] / a[column * (n + 1) + column];
  __syncthreads();
  for (int k = column + threadIdx.x; k <= n; k += blockDim.x) a[row * (n + 1) + k] -= factor * a[column * (n + 1) + k];
}

__global__ void substitute(const double* a, double* x, int n) {
  __shared__ double known;
  int row = threadIdx.x;
  double right = a[row * (n + 1) + n];
  for (int k = n - 1; k >= 0; k--) {
    if (row == k) {
      known = right / a[k * (n + 1) + k];
      x[k] = known;
    }
    __syncthreads();
    if (row < k) right -= a[row * (n + 1) + k] * known;
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<double> host(n * (n + 1));
  for (int row = 0; row < n; row++) {
    for (int k = 0; k < n; k++) host[row * (n + 1) + k] = row == k ? 10.0 * n : hash(row * n + k, seed) % 20 - 10.0;
    for (int k = 0; k < n; k++) host[row * (n + 1) + n] += host[row * (n + 1) + k] * (k + 1);
  }
  double *a = upload(host), *x = upload(std::vector<double>(n));
  for (int column = 0; column < n - 1; column++) eliminate<<<n - 1 - column, 32>>>(a, n, column);
  substitute<<<1, n>>>(a, x, n);
  for (double value : download(x, n)) printf("%.10f\n", value);
  cudaFree(a);
  cudaFree(x);
}
