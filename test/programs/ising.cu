// Spins on a torus in two colours; chances are compared as whole numbers, so every device draws alike.
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

// How likely a flip is, of 2^32, by (own spin · sum of neighbours + 4) / 2.
__constant__ unsigned chances[5];

__global__ void sweep(signed char* spins, int n, int colour, unsigned seed) {
  int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
  x += (y + colour) & 1;
  if (x >= n || y >= n) return;
  int i = y * n + x;
  int around = spins[y * n + (x + 1) % n] + spins[y * n + (x + n - 1) % n] + spins[(y + 1) % n * n + x] +
               spins[(y + n - 1) % n * n + x];
  if (hash(i, seed) <= chances[(spins[i] * around + 4) / 2]) spins[i] = -spins[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), sweeps = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  unsigned table[5] = {4294967295u, 4294967295u, 2147483648u, 400000000u, 40000000u};
  cudaMemcpyToSymbol(chances, table, sizeof(table));
  std::vector<signed char> host(n * n);
  for (int i = 0; i < n * n; i++) host[i] = hash(i, seed) & 1 ? 1 : -1;
  signed char* spins = upload(host);
  dim3 block(8, 8), grid((n / 2 + 7) / 8, (n + 7) / 8);
  for (int k = 0; k < sweeps; k++) sweep<<<grid, block>>>(spins, n, k & 1, seed + 1 + k);
  host = download(spins, n * n);
  int sum = 0;
  for (signed char spin : host) sum += spin;
  printf("sum %d checksum %lld\n", sum, checksum(host));
  cudaFree(spins);
}
