// Floats sorted as whole numbers: their bits turned so that the order is the same, eight passes of four bits, and back.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

__device__ unsigned turned(unsigned bits) { return bits & 0x80000000u ? ~bits : bits | 0x80000000u; }
__device__ unsigned back(unsigned bits) { return bits & 0x80000000u ? bits & 0x7fffffffu : ~bits; }

// One block: counts of a digit by thread, a scan over digits and threads, and a stable move.
__global__ void sort(float* x, unsigned* keys, unsigned* others, int n) {
  __shared__ int counts[16 * 64];
  int t = threadIdx.x, each = (n + 63) / 64, from = min(n, t * each), to = min(n, from + each);
  for (int i = from; i < to; i++) keys[i] = turned(__float_as_uint(x[i]));
  for (int shift = 0; shift < 32; shift += 4) {
    for (int d = 0; d < 16; d++) counts[d * 64 + t] = 0;
    __syncthreads();
    for (int i = from; i < to; i++) counts[(keys[i] >> shift & 15) * 64 + t]++;
    __syncthreads();
    if (t == 0)
      for (int k = 0, sum = 0; k < 16 * 64; k++) {
        int own = counts[k];
        counts[k] = sum;
        sum += own;
      }
    __syncthreads();
    for (int i = from; i < to; i++) others[counts[(keys[i] >> shift & 15) * 64 + t]++] = keys[i];
    __syncthreads();
    unsigned* last = keys;
    keys = others;
    others = last;
  }
  for (int i = from; i < to; i++) x[i] = __uint_as_float(back(keys[i]));
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  float* x = managed<float>(n);
  unsigned *keys = managed<unsigned>(n), *others = managed<unsigned>(n);
  for (int i = 0; i < n; i++) x[i] = ((int)(hash(i, seed) % 20001) - 10000) / 64.0f;
  sort<<<1, 64>>>(x, keys, others, n);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (double)x[i] * (i % 97);
  printf("%.6f %.6f %.6f checksum %.6f\n", x[0], x[n / 2], x[n - 1], sum);
  cudaFree(x);
  cudaFree(keys);
  cudaFree(others);
}
