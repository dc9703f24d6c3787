// Clusters of points with whole coordinates: nearest centres, then sums by atomics in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define K 5

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

__global__ void assign(const int2* points, const int2* centres, int* which, int* sums, int n) {
  __shared__ int mine[3 * K];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 3 * K) mine[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) {
    int nearest = 0, least = 2147483647;
    for (int k = 0; k < K; k++) {
      int x = points[i].x - centres[k].x, y = points[i].y - centres[k].y, apart = x * x + y * y;
      if (apart < least) {
        least = apart;
        nearest = k;
      }
    }
    which[i] = nearest;
    atomicAdd(&mine[3 * nearest], points[i].x);
    atomicAdd(&mine[3 * nearest + 1], points[i].y);
    atomicAdd(&mine[3 * nearest + 2], 1);
  }
  __syncthreads();
  if (threadIdx.x < 3 * K) atomicAdd(&sums[threadIdx.x], mine[threadIdx.x]);
}

__global__ void move(int2* centres, int* sums) {
  int k = threadIdx.x, count = sums[3 * k + 2];
  if (count > 0) centres[k] = make_int2(sums[3 * k] / count, sums[3 * k + 1] / count);
  for (int j = 0; j < 3; j++) sums[3 * k + j] = 0;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<int2> host(n);
  for (int i = 0; i < n; i++) host[i] = make_int2(hash(2 * i, seed) % 1000, hash(2 * i + 1, seed) % 1000);
  int2 *points = upload(host), *centres = upload(std::vector<int2>(host.begin(), host.begin() + K));
  int *which = upload(std::vector<int>(n)), *sums = upload(std::vector<int>(3 * K));
  for (int round = 0; round < rounds; round++) {
    assign<<<(n + 127) / 128, 128>>>(points, centres, which, sums, n);
    move<<<1, K>>>(centres, sums);
  }
  for (int2 centre : download(centres, K)) printf("%d %d\n", centre.x, centre.y);
  printf("checksum %lld\n", checksum(download(which, n)));
  cudaFree(points);
  cudaFree(centres);
  cudaFree(which);
  cudaFree(sums);
}
