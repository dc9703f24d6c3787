// An order of tasks by what they wait for: those without open tasks before them are done, in rounds after Kahn.
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
template <class T>
long long checksum(const T* values, size_t n) {
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__device__ bool waits(int task, int other, unsigned seed) {
  return other < task && hash(task * 1000 + other, seed) % 40 == 0;
}

__global__ void count(int* open, int n, unsigned seed) {
  int task = blockIdx.x, own = 0;
  for (int other = threadIdx.x; other < task; other += blockDim.x) own += waits(task, other, seed);
  atomicAdd(&open[task], own);
}

__global__ void finish(const int* queue, int* open, int* levels, int* next, int* size, int n, int level,
                       unsigned seed) {
  int task = queue[blockIdx.x];
  if (threadIdx.x == 0) levels[task] = level;
  for (int later = task + 1 + threadIdx.x; later < n; later += blockDim.x)
    if (waits(later, task, seed) && atomicSub(&open[later], 1) == 1) next[atomicAdd(size, 1)] = later;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *open = managed<int>(n), *levels = managed<int>(n), *queue = managed<int>(n), *next = managed<int>(n);
  int *size = managed<int>(1), waiting = 0, level = 0;
  count<<<n, 32>>>(open, n, seed);
  cudaDeviceSynchronize();
  for (int task = 0; task < n; task++)
    if (open[task] == 0) queue[waiting++] = task;
  for (; waiting > 0; level++) {
    *size = 0;
    finish<<<waiting, 32>>>(queue, open, levels, next, size, n, level, seed);
    cudaDeviceSynchronize();
    waiting = *size;
    int* last = queue;
    queue = next;
    next = last;
  }
  printf("levels %d checksum %lld\n", level, checksum(levels, n));
  for (int* array : {open, levels, queue, next, size}) cudaFree(array);
}
