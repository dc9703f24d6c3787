// Gauss and Seidel in two colours: all red points, then all black ones.
#include <cstdio>
#include <cstdlib>
#include <vector>

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

__global__ void relax(double* u, int n, int colour) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1 || (x + y) % 2 != colour) return;
  u[y * n + x] = (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]) / 4;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), sweeps = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<double> host(n * n);
  for (int i = 0; i < n * n; i++) host[i] = hash(i, seed) % 100;
  double* u = upload(host);
  dim3 block(8, 8), grid((n + 5) / 8, (n + 5) / 8);
  for (int sweep = 0; sweep < sweeps; sweep++) {
    relax<<<grid, block>>>(u, n, 0);
    relax<<<grid, block>>>(u, n, 1);
  }
  host = download(u, n * n);
  for (int i = 1; i < n - 1; i += n / 5) printf("%.10f\n", host[i * n + n - 1 - i]);
  cudaFree(u);
}
