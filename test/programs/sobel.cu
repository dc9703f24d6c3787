// Edges of a picture: tiles with their borders in shared memory, whole numbers.
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

__global__ void sobel(const unsigned char* x, unsigned char* edges, int width, int height) {
  __shared__ int tile[TILE + 2][TILE + 2];
  for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
    int px = min(max(int(blockIdx.x) * TILE + i % (TILE + 2) - 1, 0), width - 1);
    int py = min(max(int(blockIdx.y) * TILE + i / (TILE + 2) - 1, 0), height - 1);
    tile[i / (TILE + 2)][i % (TILE + 2)] = x[py * width + px];
  }
  __syncthreads();
  int px = blockIdx.x * TILE + threadIdx.x, py = blockIdx.y * TILE + threadIdx.y;
  if (px >= width || py >= height) return;
  int (*t)[TILE + 2] = tile + threadIdx.y;
  int c = threadIdx.x;
  int gx = t[0][c + 2] + 2 * t[1][c + 2] + t[2][c + 2] - t[0][c] - 2 * t[1][c] - t[2][c];
  int gy = t[2][c] + 2 * t[2][c + 1] + t[2][c + 2] - t[0][c] - 2 * t[0][c + 1] - t[0][c + 2];
  edges[py * width + px] = min(abs(gx) + abs(gy), 255);
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<unsigned char> host(width * height);
  for (int i = 0; i < width * height; i++) host[i] = hash(i / 3, seed) % 100;
  unsigned char *x = upload(host), *edges = upload(host);
  sobel<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, TILE)>>>(x, edges, width, height);
  printf("checksum %lld\n", checksum(download(edges, width * height)));
  cudaFree(x);
  cudaFree(edges);
}
