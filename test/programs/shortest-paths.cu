// Shortest paths from one vertex: all edges are relaxed until nothing changes.
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

struct Edge {
  int from, to, weight;
};

__global__ void relax(const Edge* edges, int* distance, int* changed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Edge edge = edges[i];
  int way = atomicAdd(&distance[edge.from], 0) + edge.weight;
  if (atomicMin(&distance[edge.to], way) > way) *changed = 1;
}

int main(int argc, char** argv) {
  int vertices = atoi(argv[1]), n = 3 * vertices;
  unsigned seed = atoi(argv[2]);
  std::vector<Edge> edges(n);
  for (int i = 0; i < n; i++)
    edges[i] = {int(hash(i, seed) % vertices), int(hash(i, seed + 1) % vertices), int(1 + hash(i, seed + 2) % 30)};
  std::vector<int> host(vertices, 1000000);
  host[0] = 0;
  Edge* e = upload(edges);
  int *distance = upload(host), *changed;
  cudaMallocManaged(&changed, sizeof(int));
  do {
    *changed = 0;
    relax<<<(n + 127) / 128, 128>>>(e, distance, changed, n);
    cudaDeviceSynchronize();
  } while (*changed);
  printf("checksum %lld\n", checksum(download(distance, vertices)));
  cudaFree(e);
  cudaFree(distance);
  cudaFree(changed);
}
