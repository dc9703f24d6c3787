// The largest eigenvalue of a symmetric matrix, with a warp for each row.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
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

__global__ void product(const double* a, const double* x, double* y, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n) return;
  double sum = 0;
  for (int k = threadIdx.x; k < n; k += 32) sum += a[row * n + k] * x[k];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) y[row] = sum;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<double> host(n * n), vector(n, 1);
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++) host[i * n + k] = host[k * n + i] = hash(i * n + k, seed) % 10;
  double *a = upload(host), *x = upload(vector), *y = upload(vector), largest = 0;
  for (int round = 0; round < rounds; round++) {
    product<<<(n + 3) / 4, dim3(32, 4)>>>(a, x, y, n);
    vector = download(y, n);
    largest = 0;
    for (double value : vector) largest = fmax(largest, fabs(value));
    for (double& value : vector) value /= largest;
    cudaMemcpy(x, vector.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  }
  printf("%.8f\n", largest);
  for (double* each : {a, x, y}) cudaFree(each);
}
