// Bodies that attract each other, by tiles in shared memory, in double.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 32

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

__global__ void kick(const double4* bodies, double3* velocities, int n, double dt) {
  __shared__ double4 tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  double4 mine = i < n ? bodies[i] : make_double4(0, 0, 0, 0);
  double3 pull = make_double3(0, 0, 0);
  for (int base = 0; base < n; base += TILE) {
    int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_double4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      double x = tile[k].x - mine.x, y = tile[k].y - mine.y, z = tile[k].z - mine.z;
      double inverse = 1 / sqrt(x * x + y * y + z * z + 0.01);
      double weight = tile[k].w * inverse * inverse * inverse;
      pull.x += weight * x;
      pull.y += weight * y;
      pull.z += weight * z;
    }
    __syncthreads();
  }
  if (i >= n) return;
  velocities[i].x += pull.x * dt;
  velocities[i].y += pull.y * dt;
  velocities[i].z += pull.z * dt;
}

__global__ void drift(double4* bodies, const double3* velocities, int n, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bodies[i].x += velocities[i].x * dt;
  bodies[i].y += velocities[i].y * dt;
  bodies[i].z += velocities[i].z * dt;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), steps = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<double4> host(n);
  for (int i = 0; i < n; i++)
    host[i] = make_double4(hash(3 * i, seed) % 1000 / 1000.0, hash(3 * i + 1, seed) % 1000 / 1000.0,
                           hash(3 * i + 2, seed) % 1000 / 1000.0, 0.5 / n);
  double4* bodies = upload(host);
  double3* velocities = upload(std::vector<double3>(n));
  for (int step = 0; step < steps; step++) {
    kick<<<(n + TILE - 1) / TILE, TILE>>>(bodies, velocities, n, 0.01);
    drift<<<(n + TILE - 1) / TILE, TILE>>>(bodies, velocities, n, 0.01);
  }
  host = download(bodies, n);
  for (int i = 0; i < n; i += n / 4) printf("%.12f %.12f %.12f\n", host[i].x, host[i].y, host[i].z);
  cudaFree(bodies);
  cudaFree(velocities);
}
