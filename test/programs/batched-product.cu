// A grid of three axes: products of many small matrices of whole numbers, each row and column of a block.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define N 12

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

__global__ void multiply(const short* a, const short* b, int* c) {
  __shared__ short left[N][N], right[N][N + 1];
  int at = blockIdx.z * N * N + threadIdx.y * N + threadIdx.x;
  left[threadIdx.y][threadIdx.x] = a[at];
  right[threadIdx.y][threadIdx.x] = b[at];
  __syncthreads();
  int sum = 0;
#pragma unroll 4
  for (int k = 0; k < N; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
  c[at] = sum;
}

int main(int argc, char** argv) {
  int batch = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<short> a(batch * N * N), b(batch * N * N);
  for (size_t i = 0; i < a.size(); i++) {
    a[i] = short(hash(i, seed) % 401) - 200;
    b[i] = short(hash(i, seed + 1) % 401) - 200;
  }
  short *x = upload(a), *y = upload(b);
  int* c;
  cudaMalloc(&c, a.size() * sizeof(int));
  multiply<<<dim3(1, 1, batch), dim3(N, N)>>>(x, y, c);
  printf("checksum %lld\n", checksum(download(c, a.size())));
  cudaFree(x);
  cudaFree(y);
  cudaFree(c);
}
