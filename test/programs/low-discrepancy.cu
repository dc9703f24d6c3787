// Points that fill a square evenly: reversed bits for one axis, the second of Sobol's directions for the other.
#include <cstdio>
#include <cstdlib>

template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

__constant__ unsigned directions[32];

__global__ void points(unsigned* x, unsigned* y, int n, unsigned from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = from + i;
  x[i] = __brev(at);
  unsigned sum = 0;
  for (int bit = 0; bit < 32; bit++)
    if (at >> bit & 1) sum ^= directions[bit];
  y[i] = sum;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned host[32] = {1u << 31};
  for (int k = 1; k < 32; k++) host[k] = host[k - 1] ^ (host[k - 1] >> 1);
  cudaMemcpyToSymbol(directions, host, sizeof(host));
  unsigned *x = managed<unsigned>(n), *y = managed<unsigned>(n);
  points<<<(n + 127) / 128, 128>>>(x, y, n, seed);
  cudaDeviceSynchronize();
  unsigned all = 0;
  int inside = 0;
  for (int i = 0; i < n; i++) {
    all ^= x[i] + 31 * y[i];
    unsigned long long a = x[i] >> 16, b = y[i] >> 16;
    inside += a * a + b * b < 1ull << 32;
  }
  printf("last %u %u all %u inside %d\n", x[n - 1], y[n - 1], all, inside);
  cudaFree(x);
  cudaFree(y);
}
