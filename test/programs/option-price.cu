// The price of an option by many paths of a share, with normal numbers after Box and Muller.
#include <cmath>
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

__global__ void paths(double* sums, unsigned seed, double start, double strike, double rate, double spread,
                      double years, int each) {
  __shared__ double part[64];
  int t = threadIdx.x, thread = blockIdx.x * 64 + t;
  double sum = 0;
  for (int k = 0; k < each; k++) {
    unsigned path = thread * each + k;
    double u = (hash(2 * path, seed) + 0.5) / 4294967296.0, v = hash(2 * path + 1, seed) / 4294967296.0;
    double normal = sqrt(-2 * log(u)) * cospi(2 * v);
    double end = start * exp((rate - spread * spread / 2) * years + spread * sqrt(years) * normal);
    sum += fmax(end - strike, 0.0);
  }
  part[t] = sum;
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) part[t] += part[t + step];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

int main(int argc, char** argv) {
  int blocks = atoi(argv[1]), each = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  double* sums = upload(std::vector<double>(blocks));
  paths<<<blocks, 64>>>(sums, seed, 100, 105, 0.03, 0.2, 1.5, each);
  double sum = 0;
  for (double part : download(sums, blocks)) sum += part;
  printf("%.9f\n", exp(-0.03 * 1.5) * sum / (blocks * 64.0 * each));
  cudaFree(sums);
}
