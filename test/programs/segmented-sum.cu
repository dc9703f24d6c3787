// Sums of segments of different lengths, a warp for each.
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

__global__ void sums(const int* values, const int* starts, long long* sums, int segments) {
  int segment = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (segment >= segments) return;
  long long sum = 0;
  for (int i = starts[segment] + lane; i < starts[segment + 1]; i += warpSize) sum += values[i];
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (lane == 0) sums[segment] = sum;
}

int main(int argc, char** argv) {
  int segments = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> starts(segments + 1), values;
  for (int s = 0; s < segments; s++) {
    int length = hash(s, seed) % 80;
    for (int i = 0; i < length; i++) values.push_back(hash(values.size(), seed + 1));
    starts[s + 1] = (int)values.size();
  }
  int *x = upload(values), *s = upload(starts);
  long long* out;
  cudaMalloc(&out, segments * sizeof(long long));
  sums<<<(segments * 32 + 95) / 96, 96>>>(x, s, out, segments);
  std::vector<long long> found = download(out, segments);
  printf("%lld %lld checksum %lld\n", found[0], found[segments - 1], checksum(found));
  cudaFree(x);
  cudaFree(s);
  cudaFree(out);
}
