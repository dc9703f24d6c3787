// A scan that begins anew at every head: pairs of a flag and a sum under one operation.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 512

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

struct Part {
  int has_head;
  int sum;
};
__device__ Part joined(Part a, Part b) { return {a.has_head | b.has_head, b.has_head ? b.sum : a.sum + b.sum}; }

__global__ void scan(const int* values, const int* heads, int* out, int n) {
  __shared__ Part part[BLOCK];
  int t = threadIdx.x;
  part[t] = t < n ? Part{heads[t], values[t]} : Part{0, 0};
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    Part before = t >= step ? part[t - step] : Part{0, 0};
    __syncthreads();
    part[t] = joined(before, part[t]);
    __syncthreads();
  }
  if (t < n) out[t] = part[t].sum;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> values(n), heads(n);
  for (int i = 0; i < n; i++) {
    values[i] = hash(i, seed) % 100;
    heads[i] = hash(i, seed + 1) % 10 == 0;
  }
  int *x = upload(values), *h = upload(heads), *out = upload(values);
  scan<<<1, BLOCK>>>(x, h, out, n);
  printf("checksum %lld\n", checksum(download(out, n)));
  cudaFree(x);
  cudaFree(h);
  cudaFree(out);
}
