// A greatest set of vertices without neighbours among them that cannot grow: local leaders join, round by round.
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

__device__ bool is_edge(int a, int b, unsigned seed) {
  return a != b && hash(max(a, b) * 1000 + min(a, b), seed) % 16 == 0;
}

// States: 0 open, 1 in the set, 2 out of it.
__global__ void join(const int* from, int* to, int n, unsigned seed) {
  int v = blockIdx.x;
  if (from[v] != 0) return;
  int is_beaten = 0;
  for (int w = threadIdx.x; w < n; w += blockDim.x)
    if (is_edge(v, w, seed) && from[w] == 0) {
      unsigned own = hash(v, seed + 1), other = hash(w, seed + 1);
      if (other > own || (other == own && w > v)) is_beaten = 1;
    }
  if (!__syncthreads_or(is_beaten) && threadIdx.x == 0) to[v] = 1;
}

__global__ void leave(int* state, int n, unsigned seed, int* open) {
  int v = blockIdx.x, is_out = 0;
  if (state[v] != 0) return;
  for (int w = threadIdx.x; w < n; w += blockDim.x)
    if (is_edge(v, w, seed) && ((volatile int*)state)[w] == 1) is_out = 1;
  is_out = __syncthreads_or(is_out);
  if (threadIdx.x == 0) {
    if (is_out)
      state[v] = 2;
    else
      *open = 1;
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *state = managed<int>(n), *next = managed<int>(n), *open = managed<int>(1);
  do {
    *open = 0;
    cudaMemcpy(next, state, n * sizeof(int), cudaMemcpyDefault);
    join<<<n, 32>>>(state, next, n, seed);
    leave<<<n, 32>>>(next, n, seed, open);
    cudaMemcpy(state, next, n * sizeof(int), cudaMemcpyDefault);
    cudaDeviceSynchronize();
  } while (*open);
  int size = 0;
  for (int v = 0; v < n; v++) size += state[v] == 1;
  printf("size %d checksum %lld\n", size, checksum(state, n));
  cudaFree(state);
  cudaFree(next);
  cudaFree(open);
}
