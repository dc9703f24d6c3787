// Sums of all that is above and to the left: a scan of every row, a transpose, and the same again.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define N 64

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

__global__ void scan_rows(const int* x, int* turned) {
  __shared__ int row[N];
  int t = threadIdx.x;
  row[t] = x[blockIdx.x * N + t];
  for (int step = 1; step < N; step *= 2) {
    __syncthreads();
    int before = t >= step ? row[t - step] : 0;
    __syncthreads();
    row[t] += before;
  }
  turned[t * N + blockIdx.x] = row[t];
}

int main(int argc, char** argv) {
  unsigned seed = atoi(argv[1]);
  std::vector<int> host(N * N);
  for (int i = 0; i < N * N; i++) host[i] = hash(i, seed) % 256;
  int *x = upload(host), *y = upload(host);
  scan_rows<<<N, N>>>(x, y);
  scan_rows<<<N, N>>>(y, x);
  host = download(x, N * N);
  int box = host[40 * N + 50] - host[9 * N + 50] - host[40 * N + 19] + host[9 * N + 19];
  printf("box %d checksum %lld\n", box, checksum(host));
  cudaFree(x);
  cudaFree(y);
}
