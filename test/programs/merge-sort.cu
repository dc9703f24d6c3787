// A merge sort: each element finds its place among those of the other half by a binary search.
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

__device__ int places_before(const int* sorted, int n, int value, bool and_equal) {
  int low = 0, high = n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < value || (and_equal && sorted[middle] == value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void merge(const int* from, int* to, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int half = i / width, pair = half / 2 * 2 * width;
  bool is_first = half % 2 == 0;
  int other = is_first ? pair + width : pair;
  int others = max(0, min(width, n - other));
  to[i - (is_first ? 0 : width) + places_before(from + other, others, from[i], !is_first)] = from[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 500;
  int *from = upload(host), *to = upload(host);
  for (int width = 1; width < n; width *= 2) {
    merge<<<(n + 63) / 64, 64>>>(from, to, n, width);
    std::swap(from, to);
  }
  host = download(from, n);
  printf("%d %d %d checksum %lld\n", host[0], host[n / 2], host[n - 1], checksum(host));
  cudaFree(from);
  cudaFree(to);
}
