// A table with open addressing: keys come in by atomicCAS, values add up, and queries find them.
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

const unsigned kEmpty = 0xffffffff;

__global__ void insert(unsigned* keys, int* counts, int slots, const unsigned* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned slot = hash(x[i], 7) % slots;; slot = (slot + 1) % slots) {
    unsigned before = atomicCAS(&keys[slot], kEmpty, x[i]);
    if (before == kEmpty || before == x[i]) {
      atomicAdd(&counts[slot], 1);
      return;
    }
  }
}

__global__ void find(const unsigned* keys, const int* counts, int slots, int* found, int n) {
  int key = blockIdx.x * blockDim.x + threadIdx.x;
  if (key >= n) return;
  unsigned slot = hash(key, 7) % slots;
  while (keys[slot] != (unsigned)key && keys[slot] != kEmpty) slot = (slot + 1) % slots;
  found[key] = keys[slot] == kEmpty ? 0 : counts[slot];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), range = n / 3, slots = n;
  unsigned seed = atoi(argv[2]);
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % range;
  unsigned *x = upload(host), *keys;
  int *counts = upload(std::vector<int>(slots)), *found = upload(std::vector<int>(range));
  cudaMalloc(&keys, slots * sizeof(unsigned));
  cudaMemset(keys, 0xff, slots * sizeof(unsigned));
  insert<<<(n + 127) / 128, 128>>>(keys, counts, slots, x, n);
  find<<<(range + 127) / 128, 128>>>(keys, counts, slots, found, range);
  printf("checksum %lld\n", checksum(download(found, range)));
  cudaFree(x);
  cudaFree(keys);
  cudaFree(counts);
  cudaFree(found);
}
