// Four transposes: naive, by tiles, with a padded row, with several rows a thread; all the same.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 16

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

__global__ void naive(const int* x, int* y, int rows, int columns) {
  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
  if (r < rows && c < columns) y[c * rows + r] = x[r * columns + c];
}

template <int Padding>
__global__ void tiled(const int* x, int* y, int rows, int columns) {
  __shared__ int tile[TILE][TILE + Padding];
  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
  if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = x[r * columns + c];
  __syncthreads();
  c = blockIdx.y * TILE + threadIdx.x;
  r = blockIdx.x * TILE + threadIdx.y;
  if (r < columns && c < rows) y[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}

__global__ void coarse(const int* x, int* y, int rows, int columns) {
  __shared__ int tile[TILE][TILE + 1];
  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += blockDim.y)
    if (r + k < rows && c < columns) tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * columns + c];
  __syncthreads();
  c = blockIdx.y * TILE + threadIdx.x;
  r = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += blockDim.y)
    if (r + k < columns && c < rows) y[(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
}

int main(int argc, char** argv) {
  int rows = atoi(argv[1]), columns = atoi(argv[2]), n = rows * columns;
  unsigned seed = atoi(argv[3]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 1000;
  int *x = upload(host), *y = upload(host);
  dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, TILE);
  for (int way = 0; way < 4; way++) {
    cudaMemset(y, 0, n * sizeof(int));
    if (way == 0) naive<<<grid, block>>>(x, y, rows, columns);
    if (way == 1) tiled<0><<<grid, block>>>(x, y, rows, columns);
    if (way == 2) tiled<1><<<grid, block>>>(x, y, rows, columns);
    if (way == 3) coarse<<<grid, dim3(TILE, 4)>>>(x, y, rows, columns);
    printf("checksum %lld\n", checksum(download(y, n)));
  }
  cudaFree(x);
  cudaFree(y);
}
