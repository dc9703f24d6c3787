// A product of matrices in which each thread has four by four results in registers.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 32
#define EACH 4
#define SIDE (TILE / EACH)

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

__global__ void product(const int* a, const int* b, int* c, int n) {
  __shared__ int left[TILE][TILE + 1], right[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y, thread = ty * SIDE + tx, sums[EACH][EACH] = {};
  for (int base = 0; base < n; base += TILE) {
    for (int i = thread; i < TILE * TILE; i += SIDE * SIDE) {
      int y = i / TILE, x = i % TILE, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
      left[y][x] = row < n && base + x < n ? a[row * n + base + x] : 0;
      right[y][x] = base + y < n && column < n ? b[(base + y) * n + column] : 0;
    }
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      int of_left[EACH], of_right[EACH];
#pragma unroll
      for (int i = 0; i < EACH; i++) {
        of_left[i] = left[ty * EACH + i][k];
        of_right[i] = right[k][tx * EACH + i];
      }
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) sums[i][j] += of_left[i] * of_right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++) {
      int row = blockIdx.y * TILE + ty * EACH + i, column = blockIdx.x * TILE + tx * EACH + j;
      if (row < n && column < n) c[row * n + column] = sums[i][j];
    }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> x(n * n), y(n * n);
  for (int i = 0; i < n * n; i++) {
    x[i] = int(hash(i, seed) % 100) - 50;
    y[i] = int(hash(i, seed + 1) % 100) - 50;
  }
  int *a = upload(x), *b = upload(y), *c = upload(x);
  product<<<dim3((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), dim3(SIDE, SIDE)>>>(a, b, c, n);
  printf("checksum %lld\n", checksum(download(c, n * n)));
  for (int* each : {a, b, c}) cudaFree(each);
}
