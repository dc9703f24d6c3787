// Attention of a few heads in one pass: the greatest score and the sum go along while keys come by tiles, in double.
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

constexpr int kDimensions = 8, kTile = 16;

template <typename scalar_t, bool kCausal>
__global__ void attention_forward(const scalar_t* __restrict__ q, const scalar_t* __restrict__ k,
                                  const scalar_t* __restrict__ v, scalar_t* __restrict__ out, int length) {
  __shared__ scalar_t keys[kTile][kDimensions], values[kTile][kDimensions];
  const size_t head = size_t(blockIdx.y) * length * kDimensions;
  const int row = blockIdx.x * kTile + threadIdx.x;
  scalar_t query[kDimensions], sums[kDimensions] = {}, most = -INFINITY, total = 0;
  for (int d = 0; d < kDimensions; d++) query[d] = row < length ? q[head + row * kDimensions + d] : 0;
  const int end = kCausal ? min(length, (int(blockIdx.x) + 1) * kTile) : length;
  for (int base = 0; base < end; base += kTile) {
    if (base + threadIdx.x < length)
      for (int d = 0; d < kDimensions; d++) {
        keys[threadIdx.x][d] = k[head + (base + threadIdx.x) * kDimensions + d];
        values[threadIdx.x][d] = v[head + (base + threadIdx.x) * kDimensions + d];
      }
    __syncthreads();
    for (int j = 0; j < kTile && base + j < length; j++) {
      if (kCausal && base + j > row) break;
      scalar_t score = 0;
      for (int d = 0; d < kDimensions; d++) score += query[d] * keys[j][d];
      score *= rsqrt(scalar_t(kDimensions));
      const scalar_t larger = fmax(most, score), before = exp(most - larger), weight = exp(score - larger);
      total = total * before + weight;
      for (int d = 0; d < kDimensions; d++) sums[d] = sums[d] * before + weight * values[j][d];
      most = larger;
    }
    __syncthreads();
  }
  if (row < length)
    for (int d = 0; d < kDimensions; d++) out[head + row * kDimensions + d] = sums[d] / total;
}

int main(int argc, char** argv) {
  const int heads = 2, length = atoi(argv[1]), size = heads * length * kDimensions;
  const unsigned seed = atoi(argv[2]);
  double *q, *k, *v, *out;
  for (double** each : {&q, &k, &v, &out}) cudaMallocManaged(each, size * sizeof(double));
  for (int i = 0; i < size; i++) {
    q[i] = int(hash(i, seed) % 2001) / 1000.0 - 1;
    k[i] = int(hash(i, seed + 1) % 2001) / 1000.0 - 1;
    v[i] = int(hash(i, seed + 2) % 2001) / 1000.0 - 1;
  }
  dim3 grid((length + kTile - 1) / kTile, heads);
  attention_forward<double, false><<<grid, kTile>>>(q, k, v, out, length);
  cudaDeviceSynchronize();
  for (int i = 0; i < size; i += 37) printf("%.10f ", out[i]);
  printf("\n");
  attention_forward<double, true><<<grid, kTile>>>(q, k, v, out, length);
  cudaDeviceSynchronize();
  for (int i = 0; i < size; i += 37) printf("%.10f ", out[i]);
  printf("\n");
  for (double* each : {q, k, v, out}) cudaFree(each);
}
