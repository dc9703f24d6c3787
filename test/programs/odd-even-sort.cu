// Odd-even transposition in one block, until a round of the block has changed nothing.
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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__global__ void sort(int* data, int n, int* rounds) {
  extern __shared__ int part[];
  int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) part[i] = data[i];
  __syncthreads();
  int count = 0, changed = 1;
  while (changed) {
    int mine = 0;
    for (int phase = 0; phase < 2; phase++) {
      int low = 2 * t + phase;
      if (low + 1 < n && part[low] > part[low + 1]) {
        int kept = part[low];
        part[low] = part[low + 1];
        part[low + 1] = kept;
        mine = 1;
      }
      __syncthreads();
    }
    changed = __syncthreads_or(mine);
    count++;
  }
  for (int i = t; i < n; i += blockDim.x) data[i] = part[i];
  if (t == 0) *rounds = count;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 1000;
  int *data = upload(host), *rounds;
  cudaMalloc(&rounds, sizeof(int));
  sort<<<1, 128, n * sizeof(int)>>>(data, n, rounds);
  host = download(data, n);
  printf("rounds %d checksum %lld\n", download(rounds, 1)[0], checksum(host));
  cudaFree(data);
  cudaFree(rounds);
}
