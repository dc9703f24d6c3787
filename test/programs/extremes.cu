// The least and the greatest with their places, packed with the place into 64 bits for atomicMin and atomicMax.
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

__global__ void extremes(const unsigned* x, unsigned long long* least, unsigned long long* greatest, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long packed = (unsigned long long)x[i] << 32;
    atomicMin(least, packed | (unsigned)i);
    atomicMax(greatest, packed | (0xffffffffu - i));
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<unsigned> host(n);
  for (int i = 0; i < n; i++) host[i] = 7 + hash(i, seed) % (n / 4);
  unsigned* x = upload(host);
  unsigned long long* found = upload(std::vector<unsigned long long>{~0ull, 0});
  extremes<<<5, 96>>>(x, found, found + 1, n);
  std::vector<unsigned long long> result = download(found, 2);
  printf("least %u at %u, greatest %u at %u\n", unsigned(result[0] >> 32), unsigned(result[0]),
         unsigned(result[1] >> 32), 0xffffffffu - unsigned(result[1]));
  cudaFree(x);
  cudaFree(found);
}
