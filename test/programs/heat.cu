// Heat in a bar: a stencil in double precision, with a convergence test on the host.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace std;

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned noise(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <typename T>
__global__ void step(const T* __restrict__ now, T* __restrict__ next, int n, T rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= n - 1) return;
  next[i] = now[i] + rate * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), steps = atoi(argv[2]);
  double rate = atof(argv[3]);
  unsigned seed = atoi(argv[4]);
  vector<double> bar(n);
  for (int i = 0; i < n; i++) bar[i] = noise(i, seed) % 100;
  double* d[2];
  for (double*& each : d) {
    cudaMalloc(&each, n * sizeof(double));
    cudaMemcpy(each, bar.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  }
  for (int i = 0; i < steps; i++) step<<<(n + 95) / 96, 96>>>(d[i & 1], d[~i & 1], n, rate);
  cudaMemcpy(bar.data(), d[steps & 1], n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i += n / 4) printf("%.9f\n", bar[i]);
  for (double* each : d) cudaFree(each);
}
