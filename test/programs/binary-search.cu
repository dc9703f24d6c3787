// Where queries belong in a sorted table that lies in constant memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SIZE 512

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

__constant__ int table[SIZE];

__global__ void find(const int* queries, int* places, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = SIZE;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (table[middle] < queries[i])
      low = middle + 1;
    else
      high = middle;
  }
  places[i] = low;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> sorted(SIZE), queries(n);
  for (int i = 0; i < SIZE; i++) sorted[i] = (i ? sorted[i - 1] : 0) + hash(i, seed) % 7;
  for (int i = 0; i < n; i++) queries[i] = hash(i, seed + 1) % 1600;
  cudaMemcpyToSymbol(table, sorted.data(), sizeof(table));
  int *asked = upload(queries), *places = upload(queries);
  find<<<(n + 127) / 128, 128>>>(asked, places, n);
  std::vector<int> found = download(places, n);
  printf("%d %d checksum %lld\n", found[0], found[n - 1], checksum(found));
  cudaFree(asked);
  cudaFree(places);
}
