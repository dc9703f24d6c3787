// The game of life on a torus: tiles with their edges in shared memory.
#include <cstdio>
#include <cstdlib>
#include <utility>
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

__global__ void step(const unsigned char* cells, unsigned char* next, int width, int height) {
  __shared__ unsigned char tile[TILE + 2][TILE + 2];
  int left = blockIdx.x * TILE - 1, top = blockIdx.y * TILE - 1;
  for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
    int y = (top + i / (TILE + 2) + height) % height, x = (left + i % (TILE + 2) + width) % width;
    tile[i / (TILE + 2)][i % (TILE + 2)] = cells[y * width + x];
  }
  __syncthreads();
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x >= width || y >= height) return;
  int around = -tile[threadIdx.y + 1][threadIdx.x + 1];
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) around += tile[threadIdx.y + dy][threadIdx.x + dx];
  next[y * width + x] = around == 3 || (around == 2 && tile[threadIdx.y + 1][threadIdx.x + 1]);
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]), steps = atoi(argv[3]);
  unsigned seed = atoi(argv[4]);
  std::vector<unsigned char> host(width * height);
  for (int i = 0; i < width * height; i++) host[i] = hash(i, seed) % 3 == 0;
  unsigned char *cells = upload(host), *next = upload(host);
  for (int k = 0; k < steps; k++) {
    step<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>(cells, next, width, height);
    std::swap(cells, next);
  }
  printf("checksum %lld\n", checksum(download(cells, width * height)));
  cudaFree(cells);
  cudaFree(next);
}
