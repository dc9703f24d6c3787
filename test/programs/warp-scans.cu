// A scan of a block by shuffles of its warps and of their sums, exclusive and inclusive.
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

__device__ int scanned(int value) {
  int lane = threadIdx.x & 31;
  for (int step = 1; step < 32; step *= 2) {
    int before = __shfl_up_sync(0xffffffff, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

__global__ void scan(const int* x, int* inclusive, int* exclusive) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int mine = x[i], sum = scanned(mine);
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) sums[lane] = scanned(lane < blockDim.x / 32 ? sums[lane] : 0);
  __syncthreads();
  if (warp > 0) sum += sums[warp - 1];
  inclusive[i] = sum;
  exclusive[i] = sum - mine;
}

int main(int argc, char** argv) {
  int blocks = atoi(argv[1]), threads = atoi(argv[2]), n = blocks * threads;
  unsigned seed = atoi(argv[3]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = int(hash(i, seed) % 100) - 40;
  int *x = upload(host), *inclusive = upload(host), *exclusive = upload(host);
  scan<<<blocks, threads>>>(x, inclusive, exclusive);
  printf("%lld %lld\n", checksum(download(inclusive, n)), checksum(download(exclusive, n)));
  for (int* each : {x, inclusive, exclusive}) cudaFree(each);
}
