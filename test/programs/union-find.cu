// Sets that join by edges: roots are hooked by atomicCAS, ways to them are halved while one walks.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

class DisjointSets {
 public:
  __device__ explicit DisjointSets(int* parents) : parents(parents) {}

  __device__ int find(int x) const {
    volatile int* p = parents;
    int parent = p[x];
    while (parent != x) {
      int next = p[parent];
      if (next < parent) atomicCAS(&parents[x], parent, next);
      x = parent;
      parent = next;
    }
    return x;
  }

  // Whether they were apart. The smaller root becomes the root of both.
  __device__ bool join(int a, int b) {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return false;
      int high = max(a, b), low = min(a, b);
      if (atomicCAS(&parents[high], high, low) == high) return true;
    }
  }

 private:
  int* parents;
};

__device__ int joined;

__global__ void make(int* parents, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) parents[i] = i;
}

__global__ void unite(int* parents, int n, int edges, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  DisjointSets sets(parents);
  if (sets.join(hash(2 * i, seed) % n, hash(2 * i + 1, seed) % n)) atomicAdd(&joined, 1);
}

__global__ void flatten(int* parents, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const DisjointSets sets(parents);
  parents[i] = sets.find(i);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), edges = atoi(argv[2]), joins = 0;
  unsigned seed = atoi(argv[3]);
  int* parents;
  cudaMallocManaged(&parents, n * sizeof(int));
  cudaMemcpyToSymbol(joined, &joins, sizeof(int));
  make<<<(n + 127) / 128, 128>>>(parents, n);
  unite<<<(edges + 127) / 128, 128>>>(parents, n, edges, seed);
  flatten<<<(n + 127) / 128, 128>>>(parents, n);
  cudaMemcpyFromSymbol(&joins, joined, sizeof(int));
  long long checksum = 0;
  for (int i = 0; i < n; i++) checksum += (long long)parents[i] * (i % 97);
  printf("%d sets checksum %lld\n", n - joins, checksum);
  cudaFree(parents);
  return 0;
}
