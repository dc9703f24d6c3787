// A histogram by matches: the first of all lanes with the same number adds for them.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BINS 20

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

__global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int mine[BINS];
  for (int i = threadIdx.x; i < BINS; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned active = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    unsigned alike = __match_any_sync(active, x[i]);
    if (__ffs(alike) - 1 == lane) atomicAdd(&mine[x[i]], __popc(alike));
  }
  __syncthreads();
  for (int k = threadIdx.x; k < BINS; k += blockDim.x)
    if (mine[k]) atomicAdd(&bins[k], mine[k]);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % BINS;
  int *x = upload(host), *bins = upload(std::vector<int>(BINS));
  histogram<<<(n + 127) / 128, 128>>>(x, bins, n);
  for (int bin : download(bins, BINS)) printf("%d ", bin);
  printf("\n");
  cudaFree(x);
  cudaFree(bins);
}
