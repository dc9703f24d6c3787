// A long filter of a signal, its taps in constant memory and its past in shared memory, in strides of the grid.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TAPS 33
#define BLOCK 128

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

__constant__ int taps[TAPS];

__global__ void filter(const short* x, int* y, int n) {
  __shared__ int past[BLOCK + TAPS - 1];
  for (int base = blockIdx.x * BLOCK; base < n; base += gridDim.x * BLOCK) {
    for (int i = threadIdx.x; i < BLOCK + TAPS - 1; i += BLOCK) {
      int at = base + i - (TAPS - 1);
      past[i] = at >= 0 && at < n ? x[at] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < TAPS; k++) sum += taps[k] * past[threadIdx.x + TAPS - 1 - k];
    if (base + threadIdx.x < n) y[base + threadIdx.x] = sum >> 4;
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), table[TAPS];
  unsigned seed = atoi(argv[2]);
  for (int k = 0; k < TAPS; k++) table[k] = 17 - abs(k - 16);
  cudaMemcpyToSymbol(taps, table, sizeof(table));
  std::vector<short> host(n);
  for (int i = 0; i < n; i++) host[i] = short(hash(i, seed) % 20001 - 10000);
  short* x = upload(host);
  int* y = upload(std::vector<int>(n));
  filter<<<3, BLOCK>>>(x, y, n);
  printf("checksum %lld\n", checksum(download(y, n)));
  cudaFree(x);
  cudaFree(y);
}
