// Pairs of particles that are close: particles sorted into cells by counting, and only neighbouring cells searched.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CELLS 10
#define REACH 100

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__device__ int cellOf(int3 p) { return (p.z / REACH * CELLS + p.y / REACH) * CELLS + p.x / REACH; }

__global__ void count(const int3* particles, int n, int* counts) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[cellOf(particles[i])], 1);
}

__global__ void scan(const int* counts, int* starts, int* cursors) {
  __shared__ int sums[CELLS * CELLS];
  int t = threadIdx.x, own = 0;
  for (int k = 0; k < CELLS; k++) own += counts[t * CELLS + k];
  sums[t] = own;
  __syncthreads();
  int before = 0;
  for (int k = 0; k < t; k++) before += sums[k];
  for (int k = 0; k < CELLS; k++) {
    starts[t * CELLS + k] = cursors[t * CELLS + k] = before;
    before += counts[t * CELLS + k];
  }
  if (t == blockDim.x - 1) starts[CELLS * CELLS * CELLS] = before;
}

__global__ void scatter(const int3* particles, int n, int* cursors, int* order) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    order[atomicAdd(&cursors[cellOf(particles[i])], 1)] = i;
}

__global__ void pairs(const int3* particles, const int* starts, const int* order, int n, int* neighbours) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int3 p = particles[i];
  int found = 0;
  for (int z = max(p.z / REACH - 1, 0); z <= min(p.z / REACH + 1, CELLS - 1); z++)
    for (int y = max(p.y / REACH - 1, 0); y <= min(p.y / REACH + 1, CELLS - 1); y++)
      for (int x = max(p.x / REACH - 1, 0); x <= min(p.x / REACH + 1, CELLS - 1); x++) {
        int cell = (z * CELLS + y) * CELLS + x;
        for (int k = starts[cell]; k < starts[cell + 1]; k++) {
          int j = order[k];
          if (j == i) continue;
          int dx = particles[j].x - p.x, dy = particles[j].y - p.y, dz = particles[j].z - p.z;
          if (dx * dx + dy * dy + dz * dz < REACH * REACH) found++;
        }
      }
  neighbours[i] = found;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), cells = CELLS * CELLS * CELLS;
  unsigned seed = atoi(argv[2]);
  std::vector<int3> host(n);
  for (int i = 0; i < n; i++)
    host[i] = make_int3(hash(3 * i, seed) % 1000, hash(3 * i + 1, seed) % 1000, hash(3 * i + 2, seed) % 1000);
  int3* particles;
  int *counts, *starts, *cursors, *order, *neighbours;
  cudaMalloc(&particles, n * sizeof(int3));
  cudaMalloc(&counts, cells * sizeof(int));
  cudaMalloc(&starts, (cells + 1) * sizeof(int));
  cudaMalloc(&cursors, cells * sizeof(int));
  cudaMalloc(&order, n * sizeof(int));
  cudaMalloc(&neighbours, n * sizeof(int));
  cudaMemcpy(particles, host.data(), n * sizeof(int3), cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, cells * sizeof(int));
  count<<<4, 64>>>(particles, n, counts);
  scan<<<1, CELLS * CELLS>>>(counts, starts, cursors);
  scatter<<<4, 64>>>(particles, n, cursors, order);
  pairs<<<(n + 63) / 64, 64>>>(particles, starts, order, n, neighbours);
  std::vector<int> found(n);
  cudaMemcpy(found.data(), neighbours, n * sizeof(int), cudaMemcpyDeviceToHost);
  long long sum = 0, checksum = 0;
  for (int i = 0; i < n; i++) {
    sum += found[i];
    checksum += (long long)found[i] * (i % 97);
  }
  printf("%lld pairs checksum %lld\n", sum / 2, checksum);
  cudaFree(particles);
  for (int* each : {counts, starts, cursors, order, neighbours}) cudaFree(each);
}
