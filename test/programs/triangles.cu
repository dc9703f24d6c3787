// Triangles of a graph: rows of its matrix as bits, and a population count of what two neighbours share.
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

__global__ void count(const unsigned* rows, int n, unsigned long long* total) {
  int a = blockIdx.y * blockDim.y + threadIdx.y, b = blockIdx.x * blockDim.x + threadIdx.x, words = (n + 31) / 32;
  int own = 0;
  if (a < b && b < n && rows[a * words + b / 32] >> b % 32 & 1)
    for (int w = 0; w < words; w++) own += __popc(rows[a * words + w] & rows[b * words + w]);
  for (int offset = 16; offset > 0; offset /= 2) own += __shfl_down_sync(0xffffffff, own, offset);
  if (threadIdx.x == 0) atomicAdd(total, (unsigned long long)own);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int words = (n + 31) / 32;
  unsigned* rows = managed<unsigned>(n * words);
  unsigned long long* total = managed<unsigned long long>(1);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < a; b++)
      if (hash(a * n + b, seed) % 5 == 0) {
        rows[a * words + b / 32] |= 1u << b % 32;
        rows[b * words + a / 32] |= 1u << a % 32;
      }
  count<<<dim3(words, (n + 3) / 4), dim3(32, 4)>>>(rows, n, total);
  cudaDeviceSynchronize();
  printf("triangles %llu\n", *total / 3);
  cudaFree(rows);
  cudaFree(total);
}
