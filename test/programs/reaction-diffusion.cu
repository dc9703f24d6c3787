// Two substances that spread and react (Gray and Scott): a torus of double2, pointers swapped between launches.
#include <stdio.h>
#include <stdlib.h>

#include <utility>

#define BLOCK 8

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Rates {
  double ofU, ofV, feed, kill;
};
__constant__ Rates rates;

__device__ __forceinline__ double2 operator+(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); }

__global__ void step(const double2* __restrict__ from, double2* __restrict__ to, int n) {
  __shared__ double2 tile[BLOCK + 2][BLOCK + 2];
  int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;
  for (int j = threadIdx.y; j < BLOCK + 2; j += BLOCK)
    for (int i = threadIdx.x; i < BLOCK + 2; i += BLOCK) {
      int column = (blockIdx.x * BLOCK + i - 1 + n) % n, row = (blockIdx.y * BLOCK + j - 1 + n) % n;
      tile[j][i] = from[row * n + column];
    }
  __syncthreads();
  int i = threadIdx.x + 1, j = threadIdx.y + 1;
  double2 own = tile[j][i], around = tile[j - 1][i] + tile[j + 1][i] + tile[j][i - 1] + tile[j][i + 1];
  double reaction = own.x * own.y * own.y;
  own.x += rates.ofU * (around.x - 4 * own.x) - reaction + rates.feed * (1 - own.x);
  own.y += rates.ofV * (around.y - 4 * own.y) + reaction - (rates.feed + rates.kill) * own.y;
  to[y * n + x] = own;
}

int main(int argc, char** argv) {
  int n = BLOCK * atoi(argv[1]), steps = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  const Rates values = {0.16, 0.08, 0.035, 0.065};
  cudaMemcpyToSymbol(rates, &values, sizeof values);
  double2 *now, *next;
  cudaMallocManaged(&now, n * n * sizeof(double2));
  cudaMallocManaged(&next, n * n * sizeof(double2));
  for (int i = 0; i < n * n; i++) {
    bool is_dropped = hash(i, seed) % 9 == 0;
    now[i] = is_dropped ? make_double2(0.5, 0.25) : make_double2(1, 0);
  }
  for (int k = 0; k < steps; k++) {
    step<<<dim3(n / BLOCK, n / BLOCK), dim3(BLOCK, BLOCK)>>>(now, next, n);
    std::swap(now, next);
  }
  cudaDeviceSynchronize();
  for (int i = 0; i < n * n; i += 61) printf("%.10f %.10f\n", now[i].x, now[i].y);
  cudaFree(now);
  cudaFree(next);
}
