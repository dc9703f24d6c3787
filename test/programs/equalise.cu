// A picture made to use all greys: a histogram, its scan, a table, and the pixels four at a time.
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

__global__ void histogram(const uchar4* x, int* bins, int n4) {
  __shared__ int mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n4; i += gridDim.x * 256) {
    uchar4 four = x[i];
    atomicAdd(&mine[four.x], 1);
    atomicAdd(&mine[four.y], 1);
    atomicAdd(&mine[four.z], 1);
    atomicAdd(&mine[four.w], 1);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void table_of(const int* bins, unsigned char* table, int n) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = bins[t];
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    int before = t >= step ? part[t - step] : 0;
    __syncthreads();
    part[t] += before;
  }
  table[t] = part[t] * 255 / n;
}

__global__ void apply(uchar4* x, const unsigned char* table, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  uchar4 four = x[i];
  x[i] = make_uchar4(table[four.x], table[four.y], table[four.z], table[four.w]);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), n4 = n / 4;
  unsigned seed = atoi(argv[2]);
  std::vector<unsigned char> host(n);
  for (int i = 0; i < n; i++) host[i] = 90 + hash(i, seed) % 30 + hash(i, seed + 1) % 30;
  unsigned char *x = upload(host), *table;
  int* bins;
  cudaMalloc(&table, 256);
  cudaMalloc(&bins, 256 * sizeof(int));
  cudaMemset(bins, 0, 256 * sizeof(int));
  histogram<<<4, 256>>>((uchar4*)x, bins, n4);
  table_of<<<1, 256>>>(bins, table, n);
  apply<<<(n4 + 255) / 256, 256>>>((uchar4*)x, table, n4);
  printf("checksum %lld\n", checksum(download(x, n)));
  cudaFree(x);
  cudaFree(table);
  cudaFree(bins);
}
