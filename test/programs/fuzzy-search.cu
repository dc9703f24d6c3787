// Where a pattern stands in a text with at most two letters changed: shifted bits, a thread for each stretch.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

#define LENGTH 12
#define ERRORS 2
__constant__ unsigned masks[4];

__global__ void search(const char* text, int n, int stretch, unsigned long long* sum, unsigned* found) {
  int from = (blockIdx.x * blockDim.x + threadIdx.x) * stretch, to = min(from + stretch, n);
  if (from >= n) return;
  unsigned states[ERRORS + 1] = {};
  // Begins earlier by what may reach into the stretch.
  for (int i = max(0, from - LENGTH + 1); i < to; i++) {
    unsigned mask = masks[text[i]], before = 0;
    for (int e = 0; e <= ERRORS; e++) {
      unsigned own = states[e];
      states[e] = ((own << 1 | 1) & mask) | (e > 0 ? before << 1 | 1 : 0);
      before = own;
    }
    if (i >= from && i >= LENGTH - 1 && states[ERRORS] >> (LENGTH - 1) & 1) {
      atomicAdd(found, 1);
      atomicAdd(sum, (unsigned long long)i);
    }
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  char* text = managed<char>(n);
  for (int i = 0; i < n; i++) text[i] = hash(i, seed) % 4;
  unsigned host[4] = {};
  for (int k = 0; k < LENGTH; k++) host[text[n / 2 + k]] |= 1u << k;
  cudaMemcpyToSymbol(masks, host, sizeof(host));
  unsigned long long* sum = managed<unsigned long long>(1);
  unsigned* found = managed<unsigned>(1);
  search<<<8, 64>>>(text, n, (n + 511) / 512, sum, found);
  cudaDeviceSynchronize();
  printf("found %u sum %llu\n", *found, *sum);
  cudaFree(text);
  cudaFree(sum);
  cudaFree(found);
}
