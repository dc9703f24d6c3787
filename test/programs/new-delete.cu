// Objects that kernels make with new, keep from one launch to the next, and delete; and arrays from malloc.
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

struct Stack {
  int* items;
  int size = 0;
  __device__ Stack(int room) : items(new int[room]) {}
  __device__ ~Stack() { delete[] items; }
  __device__ void push(int value) { items[size++] = value; }
  __device__ int pop() { return items[--size]; }
};

__global__ void fill(Stack** stacks, int n, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  stacks[i] = new Stack(i % 10 + 1);
  for (int k = 0; k <= i % 10; k++) stacks[i]->push(hash(i * 10 + k, seed) % 100);
}

__global__ void empty(Stack** stacks, int* results, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* copy = (int*)malloc(stacks[i]->size * sizeof(int));
  int length = 0;
  while (stacks[i]->size > 0) copy[length++] = stacks[i]->pop();
  for (int k = 0; k < length; k++) results[i] = results[i] * 3 + copy[k];
  free(copy);
  delete stacks[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  Stack** stacks;
  cudaMalloc(&stacks, n * sizeof(Stack*));
  int* results = managed<int>(n);
  fill<<<(n + 63) / 64, 64>>>(stacks, n, seed);
  empty<<<(n + 63) / 64, 64>>>(stacks, results, n);
  printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += results[i];
  printf(" %lld\n", sum);
  cudaFree(stacks);
  cudaFree(results);
}
