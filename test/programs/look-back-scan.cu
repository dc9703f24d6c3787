// A scan in one pass: each block looks back at what the blocks before it have published.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 128

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

// 0: nothing yet; 1: the block's own sum; 2: the sum of all up to it.
struct Published {
  volatile int state;
  volatile int own;
  volatile int all;
};

__global__ void scan(const int* x, int* y, Published* published, int* ticket, int n) {
  __shared__ int part[BLOCK];
  __shared__ int number, before;
  int t = threadIdx.x;
  if (t == 0) number = atomicAdd(ticket, 1);  // in the order in which blocks begin
  __syncthreads();
  int i = number * BLOCK + t;
  part[t] = i < n ? x[i] : 0;
  for (int step = 1; step < BLOCK; step *= 2) {
    __syncthreads();
    int other = t >= step ? part[t - step] : 0;
    __syncthreads();
    part[t] += other;
  }
  __syncthreads();
  if (t == 0) {
    int sum = 0, own = part[BLOCK - 1];
    Published* mine = published + number;
    mine->own = own;
    __threadfence();
    mine->state = 1;
    for (int k = number - 1; k >= 0; k--) {
      int state;
      while ((state = published[k].state) == 0) {}
      __threadfence();
      if (state == 2) {
        sum += published[k].all;
        break;
      }
      sum += published[k].own;
    }
    mine->all = sum + own;
    __threadfence();
    mine->state = 2;
    before = sum;
  }
  __syncthreads();
  if (i < n) y[i] = before + part[t];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 50;
  int blocks = (n + BLOCK - 1) / BLOCK;
  int *x = upload(host), *y = upload(host), *ticket = upload(std::vector<int>{0});
  Published* published;
  cudaMalloc(&published, blocks * sizeof(Published));
  cudaMemset(published, 0, blocks * sizeof(Published));
  scan<<<blocks, BLOCK>>>(x, y, published, ticket, n);
  host = download(y, n);
  printf("last %d checksum %lld\n", host[n - 1], checksum(host));
  cudaFree(x);
  cudaFree(y);
  cudaFree(ticket);
  cudaFree(published);
}
