// A table of functions of the device, chosen by number, and one that is handed to the kernel.
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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

typedef int (*Function)(int, int);

__device__ int sum(int a, int b) { return a + b; }
__device__ int difference(int a, int b) { return a - b; }
__device__ int product(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }

__device__ Function table[4] = {sum, difference, product, larger};
__device__ Function chosen = product;

__global__ void by_number(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = table[x[i] % 4](x[i], i);
}

__global__ void by_pointer(int* y, int n, Function function) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = function(y[i], 3);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 100;
  int *x = upload(host), *y = upload(host);
  by_number<<<(n + 63) / 64, 64>>>(x, y, n);
  Function function;
  cudaMemcpyFromSymbol(&function, chosen, sizeof(function));
  by_pointer<<<(n + 63) / 64, 64>>>(y, n, function);
  printf("checksum %lld\n", checksum(download(y, n)));
  cudaFree(x);
  cudaFree(y);
}
