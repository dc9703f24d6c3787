// A merge of two sorted lists whose parts are found by co-ranks: each thread merges a part of its own, one by one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Pair {
  int key, from;
  bool operator<(const Pair& other) const { return key < other.key; }
};

// How many of the first k of the merged list come from A; of equal keys those of A come first.
__device__ int co_rank(int k, const Pair* A, int m, const Pair* B, int n) {
  int low = max(0, k - n), high = min(k, m);
  while (low < high) {
    int i = (low + high) / 2, j = k - i;
    if (j > 0 && A[i].key <= B[j - 1].key)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

__device__ void merge_sequential(const Pair* A, int m, const Pair* B, int n, Pair* C) {
  int i = 0, j = 0, k = 0;
  while (i < m && j < n) C[k++] = A[i].key <= B[j].key ? A[i++] : B[j++];
  while (i < m) C[k++] = A[i++];
  while (j < n) C[k++] = B[j++];
}

__global__ void merge_basic_kernel(const Pair* A, int m, const Pair* B, int n, Pair* C) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int elementsPerThread = (m + n + blockDim.x * gridDim.x - 1) / (blockDim.x * gridDim.x);
  int k_curr = min(tid * elementsPerThread, m + n), k_next = min((tid + 1) * elementsPerThread, m + n);
  int i_curr = co_rank(k_curr, A, m, B, n), i_next = co_rank(k_next, A, m, B, n);
  int j_curr = k_curr - i_curr, j_next = k_next - i_next;
  merge_sequential(&A[i_curr], i_next - i_curr, &B[j_curr], j_next - j_curr, &C[k_curr]);
}

int main(int argc, char** argv) {
  int m = atoi(argv[1]), n = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<Pair> a(m), b(n), c(m + n);
  for (int i = 0; i < m; i++) a[i] = {int(hash(i, seed) % 300), 0};
  for (int i = 0; i < n; i++) b[i] = {int(hash(i, seed + 1) % 300), 1};
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  Pair *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, sizeof(Pair) * m);
  cudaMalloc(&d_b, sizeof(Pair) * n);
  cudaMalloc(&d_c, sizeof(Pair) * (m + n));
  cudaMemcpy(d_a, a.data(), sizeof(Pair) * m, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), sizeof(Pair) * n, cudaMemcpyHostToDevice);
  merge_basic_kernel<<<3, 32>>>(d_a, m, d_b, n, d_c);
  cudaMemcpy(c.data(), d_c, sizeof(Pair) * (m + n), cudaMemcpyDeviceToHost);
  long long keys = 0, sources = 0;
  for (int i = 0; i < m + n; i++) {
    keys += (long long)c[i].key * (i % 97);
    sources += (long long)c[i].from * (i % 97);
  }
  printf("%d … %d keys %lld sources %lld\n", c.front().key, c.back().key, keys, sources);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
