// A least spanning tree after Boruvka: each part takes its cheapest edge by a 64-bit atomicMin, then parts join.
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

struct Edge {
  int a, b, weight;
};

__global__ void cheapest(const Edge* edges, int count, const int* part, unsigned long long* best) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  int a = part[edges[e].a], b = part[edges[e].b];
  if (a == b) return;
  unsigned long long key = (unsigned long long)edges[e].weight << 32 | e;
  atomicMin(&best[a], key);
  atomicMin(&best[b], key);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int count = 6 * n;
  Edge* edges = managed<Edge>(count);
  int* part = managed<int>(n);
  unsigned long long* best = managed<unsigned long long>(n);
  for (int e = 0; e < count; e++)
    edges[e] = {e < n ? e : (int)(hash(3 * e, seed) % n), e < n ? (e + 1) % n : (int)(hash(3 * e + 1, seed) % n),
                (int)(hash(3 * e + 2, seed) % 1000)};
  for (int i = 0; i < n; i++) part[i] = i;
  long long total = 0;
  int taken = 0;
  while (taken < n - 1) {
    cudaMemset(best, 0xff, n * sizeof(*best));
    cheapest<<<(count + 127) / 128, 128>>>(edges, count, part, best);
    cudaDeviceSynchronize();
    for (int p = 0; p < n; p++) {
      if (best[p] == ~0ull) continue;
      const Edge& edge = edges[(unsigned)best[p]];
      int a = part[edge.a], b = part[edge.b];
      if (a == b) continue;
      total += edge.weight;
      taken++;
      for (int i = 0; i < n; i++)
        if (part[i] == b) part[i] = a;
    }
  }
  printf("edges %d weight %lld\n", taken, total);
  cudaFree(edges);
  cudaFree(part);
  cudaFree(best);
}
