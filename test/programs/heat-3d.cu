// Heat in a cube: tiles of a layer in shared memory, layer by layer, with the ones below and above in registers.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define TILE 8

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

__global__ void step(const double* u, double* next, int n) {
  __shared__ double tile[TILE + 2][TILE + 2];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, layer = n * n;
  auto at = [&](int px, int py, int pz) {
    return px < 0 || py < 0 || px >= n || py >= n ? 0.0 : u[pz * layer + py * n + px];
  };
  double below = 0, here = at(x, y, 0);
  for (int z = 0; z < n; z++) {
    double above = z + 1 < n ? at(x, y, z + 1) : 0;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    tile[ty][tx] = here;
    if (tx == 1) tile[ty][0] = at(x - 1, y, z);
    if (tx == TILE) tile[ty][TILE + 1] = at(x + 1, y, z);
    if (ty == 1) tile[0][tx] = at(x, y - 1, z);
    if (ty == TILE) tile[TILE + 1][tx] = at(x, y + 1, z);
    __syncthreads();
    double around = below + above + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
    if (x < n && y < n) next[z * layer + y * n + x] = here + 0.1 * (around - 6 * here);
    __syncthreads();
    below = here;
    here = above;
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), steps = atoi(argv[2]), size = n * n * n;
  unsigned seed = atoi(argv[3]);
  std::vector<double> host(size);
  for (int i = 0; i < size; i++) host[i] = hash(i, seed) % 10;
  double *u = upload(host), *next = upload(host);
  dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(TILE, TILE);
  for (int k = 0; k < steps; k++) {
    step<<<grid, block>>>(u, next, n);
    std::swap(u, next);
  }
  host = download(u, size);
  for (int i = 0; i < size; i += 211) printf("%.11f\n", host[i]);
  cudaFree(u);
  cudaFree(next);
}
