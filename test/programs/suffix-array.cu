// The order of all suffixes of a text by doubling: pairs of ranks are sorted until no two are alike.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Suffix {
  int rank, next, index;
};

__device__ bool before(const Suffix& a, const Suffix& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.next != b.next) return a.next < b.next;
  return a.index < b.index;
}

__global__ void setup(const char* text, int* ranks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ranks[i] = (unsigned char)text[i];
}

__global__ void pairs(const int* ranks, Suffix* suffixes, int n, int size, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  // What fills up to a power of two comes last.
  suffixes[i] = i < n ? Suffix{ranks[i], i + step < n ? ranks[i + step] : -1, i} : Suffix{1 << 30, 0, i};
}

__global__ void bitonic(Suffix* suffixes, int size, int distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
  if (other <= i) return;
  Suffix a = suffixes[i], b = suffixes[other];
  if (before(b, a) == ((i & size) == 0)) {
    suffixes[i] = b;
    suffixes[other] = a;
  }
}

__global__ void heads(const Suffix* suffixes, int* flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  flags[i] = i > 0 && (suffixes[i].rank != suffixes[i - 1].rank || suffixes[i].next != suffixes[i - 1].next);
}

// A scan by one block, which places each sum as the rank of a suffix.
__global__ void renumber(const Suffix* suffixes, const int* flags, int* ranks, int n) {
  __shared__ int sums[2][256];
  int carried = 0;
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + threadIdx.x, now = 0;
    sums[0][threadIdx.x] = i < n ? flags[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2, now ^= 1) {
      int own = sums[now][threadIdx.x];
      sums[now ^ 1][threadIdx.x] = threadIdx.x >= offset ? own + sums[now][threadIdx.x - offset] : own;
      __syncthreads();
    }
    if (i < n) ranks[suffixes[i].index] = carried + sums[now][threadIdx.x];
    carried += sums[now][blockDim.x - 1];
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  const char* text = argv[1];
  const int n = strlen(text), threads = 256;
  int size = threads;
  while (size < n) size *= 2;
  char* d_text;
  int *ranks, *flags;
  Suffix* suffixes;
  cudaMallocManaged(&d_text, n);
  cudaMallocManaged(&ranks, n * sizeof(int));
  cudaMallocManaged(&flags, n * sizeof(int));
  cudaMallocManaged(&suffixes, size * sizeof(Suffix));
  memcpy(d_text, text, n);
  setup<<<(n + threads - 1) / threads, threads>>>(d_text, ranks, n);
  int rounds = 0;
  for (int step = 1;; step *= 2) {
    pairs<<<size / threads, threads>>>(ranks, suffixes, n, size, step);
    for (int part = 2; part <= size; part *= 2)
      for (int distance = part / 2; distance > 0; distance /= 2)
        bitonic<<<size / threads, threads>>>(suffixes, part, distance);
    heads<<<(n + threads - 1) / threads, threads>>>(suffixes, flags, n);
    renumber<<<1, threads>>>(suffixes, flags, ranks, n);
    cudaDeviceSynchronize();
    rounds++;
    if (ranks[suffixes[n - 1].index] == n - 1) break;
  }
  printf("%d rounds:", rounds);
  for (int i = 0; i < n; i++) printf(" %d", suffixes[i].index);
  printf("\n");
  cudaFree(d_text);
  cudaFree(ranks);
  cudaFree(flags);
  cudaFree(suffixes);
}
