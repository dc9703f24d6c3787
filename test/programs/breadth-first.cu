// A breadth-first search with frontiers, of a graph made by the seed.
#include <cstdio>
#include <cstdlib>
#include <utility>
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

__global__ void expand(const int* starts, const int* neighbours, int* distance, const int* frontier, int size,
                       int* next, int* next_size, int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int v = frontier[i];
  for (int k = starts[v]; k < starts[v + 1]; k++)
    if (atomicCAS(&distance[neighbours[k]], -1, level) == -1) next[atomicAdd(next_size, 1)] = neighbours[k];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> starts(n + 1), neighbours, host(n, -1);
  for (int v = 0; v < n; v++) {
    for (unsigned k = 0; k < hash(v, seed) % 4; k++) neighbours.push_back(hash(neighbours.size(), seed + 1) % n);
    starts[v + 1] = (int)neighbours.size();
  }
  host[0] = 0;
  int *s = upload(starts), *e = upload(neighbours), *distance = upload(host);
  int *frontier = upload(std::vector<int>(n)), *next = upload(std::vector<int>(n)), *count;
  cudaMalloc(&count, sizeof(int));
  int levels = 0, reached = 1;
  for (int size = 1; size > 0; reached += size) {
    cudaMemset(count, 0, sizeof(int));
    expand<<<(size + 63) / 64, 64>>>(s, e, distance, frontier, size, next, count, ++levels);
    cudaMemcpy(&size, count, sizeof(int), cudaMemcpyDeviceToHost);
    std::swap(frontier, next);
  }
  printf("reached %d levels %d checksum %lld\n", reached, levels, checksum(download(distance, n)));
  for (int* each : {s, e, distance, frontier, next, count}) cudaFree(each);
}
