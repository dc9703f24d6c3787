// Arrays of three types in the one dynamic array of shared memory, each at its alignment.
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

__global__ void mixed(const int* x, double* means, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  double* sums = (double*)memory;
  int* values = (int*)(sums + blockDim.x);
  unsigned char* odd = (unsigned char*)(values + blockDim.x);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? x[i] : 0;
  odd[t] = values[t] & 1;
  __syncthreads();
  int other = blockDim.x - 1 - t;
  sums[t] = odd[other] ? values[other] * 0.5 : values[other];
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) means[blockIdx.x] = sums[0] / blockDim.x;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  const int threads = 64, blocks = (n + threads - 1) / threads;
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 1000;
  int* x = upload(host);
  double* means;
  cudaMalloc(&means, blocks * sizeof(double));
  mixed<<<blocks, threads, threads * (sizeof(double) + sizeof(int) + 1)>>>(x, means, n);
  for (double mean : download(means, blocks)) printf("%.7f\n", mean);
  cudaFree(x);
  cudaFree(means);
}
