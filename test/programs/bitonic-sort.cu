// A bitonic sort: steps within a block in shared memory, the wide ones by a launch each.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 128

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

__device__ void order(int& a, int& b, bool ascending) {
  if ((a > b) == ascending) {
    int kept = a;
    a = b;
    b = kept;
  }
}

// All steps whose partners are in one block of 2 * BLOCK, from `step` down.
__global__ void within(int* data, int size, int step) {
  __shared__ int part[2 * BLOCK];
  int base = blockIdx.x * 2 * BLOCK, t = threadIdx.x;
  part[t] = data[base + t];
  part[t + BLOCK] = data[base + t + BLOCK];
  for (; step > 0; step /= 2) {
    __syncthreads();
    int low = 2 * t - (t & (step - 1));
    order(part[low], part[low + step], ((base + low) & size) == 0);
  }
  __syncthreads();
  data[base + t] = part[t];
  data[base + t + BLOCK] = part[t + BLOCK];
}

__global__ void across(int* data, int size, int step) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, low = 2 * t - (t & (step - 1));
  order(data[low], data[low + step], (low & size) == 0);
}

int main(int argc, char** argv) {
  int n = 1 << atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = int(hash(i, seed) % 200000) - 100000;
  int* data = upload(host);
  for (int size = 2; size <= n; size *= 2) {
    int step = size / 2;
    for (; step > BLOCK; step /= 2) across<<<n / 2 / BLOCK, BLOCK>>>(data, size, step);
    within<<<n / 2 / BLOCK, BLOCK>>>(data, size, step);
  }
  host = download(data, n);
  printf("%d %d %d checksum %lld\n", host[0], host[n / 2], host[n - 1], checksum(host));
  cudaFree(data);
}
