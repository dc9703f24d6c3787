// The k nearest neighbours of each query, kept in order in registers, by a template over k; then a vote on a class.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <int K>
struct Nearest {
  int distance[K], index[K];
  __device__ Nearest() {
    for (int i = 0; i < K; i++) distance[i] = INT_MAX, index[i] = -1;
  }
  __device__ void offer(int d, int i) {
    if (d >= distance[K - 1]) return;
    int at = K - 1;
    for (; at > 0 && distance[at - 1] > d; at--) {
      distance[at] = distance[at - 1];
      index[at] = index[at - 1];
    }
    distance[at] = d;
    index[at] = i;
  }
};

template <int K, int Dimensions, int Classes>
__global__ void classify(const short* points, const unsigned char* classes, int n, const short* queries, int m,
                         unsigned char* votes, int* farthest) {
  extern __shared__ short tile[];
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  short own[Dimensions] = {};
  if (q < m)
    for (int d = 0; d < Dimensions; d++) own[d] = queries[q * Dimensions + d];
  Nearest<K> nearest;
  for (int base = 0; base < n; base += blockDim.x) {
    int p = base + threadIdx.x;
    if (p < n)
      for (int d = 0; d < Dimensions; d++) tile[threadIdx.x * Dimensions + d] = points[p * Dimensions + d];
    __syncthreads();
    for (int k = 0; k < min((int)blockDim.x, n - base); k++) {
      int distance = 0;
      for (int d = 0; d < Dimensions; d++) {
        int apart = tile[k * Dimensions + d] - own[d];
        distance += apart * apart;
      }
      nearest.offer(distance, base + k);
    }
    __syncthreads();
  }
  if (q >= m) return;
  int counts[Classes] = {}, best = 0;
  for (int i : nearest.index) counts[classes[i]]++;
  for (int c = 1; c < Classes; c++)
    if (counts[c] > counts[best]) best = c;
  votes[q] = best;
  farthest[q] = nearest.distance[K - 1];
}

int main(int argc, char** argv) {
  constexpr int k = 5, dimensions = 3, classes = 4, threads = 64;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  short *points, *queries;
  unsigned char *labels, *votes;
  int* farthest;
  cudaMallocManaged(&points, n * dimensions * sizeof(short));
  cudaMallocManaged(&queries, m * dimensions * sizeof(short));
  cudaMallocManaged(&labels, n);
  cudaMallocManaged(&votes, m);
  cudaMallocManaged(&farthest, m * sizeof(int));
  for (int i = 0; i < n * dimensions; i++) points[i] = hash(i, seed) % 1000;
  for (int i = 0; i < m * dimensions; i++) queries[i] = hash(i, seed + 1) % 1000;
  for (int i = 0; i < n; i++) labels[i] = hash(i, seed + 2) % classes;
  classify<k, dimensions, classes><<<(m + threads - 1) / threads, threads, threads * dimensions * sizeof(short)>>>(
      points, labels, n, queries, m, votes, farthest);
  cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(status));
    return EXIT_FAILURE;
  }
  for (int i = 0; i < m; i++) std::printf("%d:%d ", votes[i], farthest[i]);
  std::printf("\n");
  for (void* each : std::vector<void*>{points, queries, labels, votes, farthest}) cudaFree(each);
}
