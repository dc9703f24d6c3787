// A radix sort of keys with their values: four bits a pass, counted by blocks, scanned, and moved in their order.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 64
#define DIGITS 16

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

__global__ void count(const unsigned* keys, int* counts, int n, int shift) {
  __shared__ int mine[DIGITS];
  if (threadIdx.x < DIGITS) mine[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) atomicAdd(&mine[keys[i] >> shift & (DIGITS - 1)], 1);
  __syncthreads();
  // All blocks' zeros, then all blocks' ones: a scan of that is where each begins.
  if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

__global__ void scan(int* counts, int size) {
  __shared__ int part[256];
  int t = threadIdx.x, before = 0;
  for (int base = 0; base < size; base += 256) {
    int own = base + t < size ? counts[base + t] : 0;
    part[t] = own;
    for (int step = 1; step < 256; step *= 2) {
      __syncthreads();
      int other = t >= step ? part[t - step] : 0;
      __syncthreads();
      part[t] += other;
    }
    __syncthreads();
    if (base + t < size) counts[base + t] = before + part[t] - own;
    before += part[255];
    __syncthreads();
  }
}

__global__ void move(const unsigned* keys, const int* values, unsigned* to_keys, int* to_values, const int* starts,
                     int n, int shift) {
  __shared__ int digits[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int digit = i < n ? keys[i] >> shift & (DIGITS - 1) : DIGITS;
  digits[threadIdx.x] = digit;
  __syncthreads();
  if (i >= n) return;
  int before = 0;
  for (int t = 0; t < threadIdx.x; t++) before += digits[t] == digit;
  int to = starts[digit * gridDim.x + blockIdx.x] + before;
  to_keys[to] = keys[i];
  to_values[to] = values[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<unsigned> keys(n);
  std::vector<int> values(n);
  for (int i = 0; i < n; i++) {
    keys[i] = hash(i, seed) % 65536;
    values[i] = i;
  }
  int blocks = (n + BLOCK - 1) / BLOCK;
  unsigned *from = upload(keys), *to = upload(keys);
  int *from_values = upload(values), *to_values = upload(values), *counts;
  cudaMalloc(&counts, blocks * DIGITS * sizeof(int));
  for (int shift = 0; shift < 16; shift += 4) {
    count<<<blocks, BLOCK>>>(from, counts, n, shift);
    scan<<<1, 256>>>(counts, blocks * DIGITS);
    move<<<blocks, BLOCK>>>(from, from_values, to, to_values, counts, n, shift);
    std::swap(from, to);
    std::swap(from_values, to_values);
  }
  keys = download(from, n);
  values = download(from_values, n);
  printf("%u … %u checksum %lld places %lld\n", keys[0], keys[n - 1], checksum(keys), checksum(values));
  cudaFree(from);
  cudaFree(to);
  cudaFree(from_values);
  cudaFree(to_values);
  cudaFree(counts);
}
