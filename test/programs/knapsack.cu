// What fits best into a bag, a launch for each thing.
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

__global__ void choose(const int* before, int* best, int capacity, int weight, int value) {
  int room = blockIdx.x * blockDim.x + threadIdx.x;
  if (room > capacity) return;
  int with = room >= weight ? before[room - weight] + value : 0;
  best[room] = max(before[room], with);
}

int main(int argc, char** argv) {
  int things = atoi(argv[1]), capacity = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  int *before = upload(std::vector<int>(capacity + 1)), *best = upload(std::vector<int>(capacity + 1));
  for (int i = 0; i < things; i++) {
    choose<<<(capacity + 128) / 128, 128>>>(before, best, capacity, 1 + hash(i, seed) % 50, hash(i, seed + 1) % 100);
    std::swap(before, best);
  }
  std::vector<int> host = download(before, capacity + 1);
  printf("%d %d %d\n", host[capacity / 4], host[capacity / 2], host[capacity]);
  cudaFree(before);
  cudaFree(best);
}
