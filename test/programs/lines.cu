// Lines in a picture after Hough: each bright point votes for all lines through it, of twelve slopes in whole numbers.
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
template <class T>
long long checksum(const T* values, size_t n) {
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

#define SLOPES 12
__constant__ int2 normals[SLOPES];

__global__ void vote(const unsigned char* picture, int n, int* votes, int offsets) {
  extern __shared__ int own[];
  for (int k = threadIdx.x; k < offsets; k += blockDim.x) own[k] = 0;
  __syncthreads();
  int2 normal = normals[blockIdx.x];
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    if (picture[i]) atomicAdd(&own[(normal.x * (i % n) + normal.y * (i / n)) / 8 + offsets / 2], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < offsets; k += blockDim.x) votes[blockIdx.x * offsets + k] = own[k];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int2 host[SLOPES];
  for (int k = 0; k < SLOPES; k++) host[k] = make_int2(k < 6 ? 8 : 2 * (12 - k) - 4, k < 6 ? 2 * k - 4 : 8);
  cudaMemcpyToSymbol(normals, host, sizeof(host));
  int offsets = 8 * n;
  unsigned char* picture = managed<unsigned char>(n * n);
  int* votes = managed<int>(SLOPES * offsets);
  // Noise, and one line down and across.
  for (int i = 0; i < n * n; i++) picture[i] = i % n == i / n / 2 + 5 || hash(i, seed) % 20 == 0;
  vote<<<SLOPES, 128, offsets * sizeof(int)>>>(picture, n, votes, offsets);
  cudaDeviceSynchronize();
  int most = 0;
  for (int k = 0; k < SLOPES * offsets; k++) most = max(most, votes[k]);
  printf("most %d checksum %lld\n", most, checksum(votes, SLOPES * offsets));
  cudaFree(picture);
  cudaFree(votes);
}
