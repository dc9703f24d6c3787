// Cores of a graph: vertices with few neighbours left go in rounds, until what remains is dense.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Graph {
  int vertices;
  const int *offsets, *neighbours;
};

__global__ void peel(Graph graph, int k, int* degrees, int* cores, int* removed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= graph.vertices || cores[v] >= 0 || degrees[v] >= k) return;
  cores[v] = k - 1;
  atomicAdd(removed, 1);
  for (int e = graph.offsets[v]; e < graph.offsets[v + 1]; e++) atomicSub(&degrees[graph.neighbours[e]], 1);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), edges = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<std::set<int>> adjacent(n);
  for (int e = 0; e < edges; e++) {
    // Some vertices have many more edges than others.
    int a = hash(2 * e, seed) % n, b = hash(2 * e + 1, seed) % (1 + hash(e, seed + 1) % n);
    if (a == b) continue;
    adjacent[a].insert(b);
    adjacent[b].insert(a);
  }
  int *offsets, *neighbours, *degrees, *cores, *removed, ends = 0;
  for (const auto& each : adjacent) ends += each.size();
  cudaMallocManaged(&offsets, (n + 1) * sizeof(int));
  cudaMallocManaged(&neighbours, ends * sizeof(int));
  cudaMallocManaged(&degrees, n * sizeof(int));
  cudaMallocManaged(&cores, n * sizeof(int));
  cudaMallocManaged(&removed, sizeof(int));
  offsets[0] = 0;
  for (int v = 0; v < n; v++) {
    std::copy(adjacent[v].begin(), adjacent[v].end(), neighbours + offsets[v]);
    offsets[v + 1] = offsets[v] + adjacent[v].size();
    degrees[v] = adjacent[v].size();
    cores[v] = -1;
  }
  int left = n, k = 1;
  while (left > 0) {
    *removed = 0;
    peel<<<(n + 63) / 64, 64>>>({n, offsets, neighbours}, k, degrees, cores, removed);
    cudaDeviceSynchronize();
    left -= *removed;
    if (*removed == 0) k++;
  }
  long long checksum = 0;
  for (int v = 0; v < n; v++) checksum += (long long)cores[v] * (v % 97);
  printf("greatest core %d checksum %lld\n", *std::max_element(cores, cores + n), checksum);
  for (int* each : {offsets, neighbours, degrees, cores, removed}) cudaFree(each);
}
