// Words of a text: a thread for each letter finds where one begins; lengths are counted in shared memory.
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

__device__ bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

__global__ void count(const char* text, int n, int* words, int* lengths) {
  __shared__ int own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool starts = i < n && is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
  if (starts) {
    int end = i;
    while (end < n && is_letter(text[end])) end++;
    atomicAdd(&own[min(end - i, 15)], 1);
  }
  int of_block = __syncthreads_count(starts);
  if (threadIdx.x == 0) atomicAdd(words, of_block);
  if (threadIdx.x < 16) atomicAdd(&lengths[threadIdx.x], own[threadIdx.x]);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  char* text = managed<char>(n);
  int *words = managed<int>(1), *lengths = managed<int>(16);
  for (int i = 0; i < n; i++) text[i] = "aeinrst \n."[hash(i, seed) % 10];
  count<<<(n + 191) / 192, 192>>>(text, n, words, lengths);
  cudaDeviceSynchronize();
  printf("words %d:", *words);
  for (int k = 1; k < 16; k++) printf(" %d", lengths[k]);
  printf("\n");
  cudaFree(text);
  cudaFree(words);
  cudaFree(lengths);
}
