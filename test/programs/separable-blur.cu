// A blur by rows and then by columns, weights in constant memory, a strip of a row in shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define RADIUS 3
#define STRIP 64

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

__constant__ int weights[2 * RADIUS + 1];

__global__ void rows(const int* x, int* y, int width) {
  __shared__ int strip[STRIP + 2 * RADIUS];
  int first = blockIdx.x * STRIP - RADIUS, row = blockIdx.y * width;
  for (int i = threadIdx.x; i < STRIP + 2 * RADIUS; i += STRIP)
    strip[i] = first + i >= 0 && first + i < width ? x[row + first + i] : 0;
  __syncthreads();
  int column = blockIdx.x * STRIP + threadIdx.x, sum = 0;
  if (column >= width) return;
#pragma unroll
  for (int k = 0; k <= 2 * RADIUS; k++) sum += weights[k] * strip[threadIdx.x + k];
  y[row + column] = sum;
}

__global__ void columns(const int* x, int* y, int width, int height) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
  if (column >= width || row >= height) return;
  for (int k = -RADIUS; k <= RADIUS; k++)
    if (row + k >= 0 && row + k < height) sum += weights[k + RADIUS] * x[(row + k) * width + column];
  y[row * width + column] = sum;
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]), n = width * height;
  unsigned seed = atoi(argv[3]);
  const int table[2 * RADIUS + 1] = {1, 6, 15, 20, 15, 6, 1};
  cudaMemcpyToSymbol(weights, table, sizeof(table));
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 256;
  int *x = upload(host), *y = upload(host);
  rows<<<dim3((width + STRIP - 1) / STRIP, height), STRIP>>>(x, y, width);
  columns<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(y, x, width, height);
  printf("checksum %lld\n", checksum(download(x, n)));
  cudaFree(x);
  cudaFree(y);
}
