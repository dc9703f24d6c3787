// Runs of equal numbers: heads by a comparison, their numbers by a scan, lengths by differences.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 256

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

// One block goes through the data, part by part, and hands on how many runs there were before.
__global__ void run_lengths(const int* x, int* values, int* starts, int* runs, int n) {
  __shared__ int part[BLOCK];
  int t = threadIdx.x, before = 0;
  for (int base = 0; base < n; base += BLOCK) {
    int i = base + t;
    int is_head = i < n && (i == 0 || x[i] != x[i - 1]);
    part[t] = is_head;
    for (int step = 1; step < BLOCK; step *= 2) {
      __syncthreads();
      int other = t >= step ? part[t - step] : 0;
      __syncthreads();
      part[t] += other;
    }
    __syncthreads();
    if (is_head) {
      values[before + part[t] - 1] = x[i];
      starts[before + part[t] - 1] = i;
    }
    before += part[BLOCK - 1];
    __syncthreads();
  }
  if (t == 0) {
    *runs = before;
    starts[before] = n;
  }
}

__global__ void differences(const int* starts, int* lengths, int runs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < runs) lengths[i] = starts[i + 1] - starts[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i / (1 + hash(i / 50, seed) % 5), seed + 1) % 3;
  int *x = upload(host), *values, *starts, *lengths, *count;
  cudaMalloc(&values, n * sizeof(int));
  cudaMalloc(&starts, (n + 1) * sizeof(int));
  cudaMalloc(&lengths, n * sizeof(int));
  cudaMalloc(&count, sizeof(int));
  run_lengths<<<1, BLOCK>>>(x, values, starts, count, n);
  int runs = download(count, 1)[0];
  differences<<<(runs + 63) / 64, 64>>>(starts, lengths, runs);
  printf("runs %d values %lld lengths %lld\n", runs, checksum(download(values, runs)),
         checksum(download(lengths, runs)));
  for (int* each : {x, values, starts, lengths, count}) cudaFree(each);
}
