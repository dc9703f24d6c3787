// Colours of a graph after Jones and Plassmann: whoever has the highest number among the uncoloured goes first.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}
template <class T>
long long checksum(const T* values, size_t n) {
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__global__ void colour(const int* starts, const int* to, const unsigned* rank, const int* from, int* colours, int n,
                       int* left) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || from[v] >= 0) return;
  unsigned long long taken = 0;
  for (int e = starts[v]; e < starts[v + 1]; e++) {
    int other = to[e];
    if (from[other] >= 0)
      taken |= 1ull << from[other];
    else if (other != v && (rank[other] > rank[v] || (rank[other] == rank[v] && other > v))) {
      *left = 1;
      return;
    }
  }
  colours[v] = __ffsll(~taken) - 1;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int *starts = managed<int>(n + 1), *to = managed<int>(16 * n), *left = managed<int>(1);
  int *from = managed<int>(n), *colours = managed<int>(n);
  unsigned* rank = managed<unsigned>(n);
  // v and w are neighbours if one is the other's choice: four steps along a circle, and back.
  int count = 0;
  for (int v = 0; v < n; v++) {
    starts[v] = count;
    rank[v] = hash(v, seed);
    from[v] = colours[v] = -1;
    for (int k = 0; k < 4; k++) {
      int step = 1 + hash(k, seed + 1) % (n / 2);
      to[count++] = (v + step) % n;
      to[count++] = (v + n - step) % n;
    }
  }
  starts[n] = count;
  int rounds = 0;
  do {
    *left = 0;
    colour<<<(n + 127) / 128, 128>>>(starts, to, rank, from, colours, n, left);
    cudaMemcpy(from, colours, n * sizeof(int), cudaMemcpyDefault);
    cudaDeviceSynchronize();
    rounds++;
  } while (*left);
  int conflicts = 0;
  for (int v = 0; v < n; v++)
    for (int e = starts[v]; e < starts[v + 1]; e++) conflicts += to[e] != v && colours[v] == colours[to[e]];
  printf("conflicts %d checksum %lld done %d\n", conflicts, checksum(colours, n), rounds > 0);
  for (int* array : {starts, to, left, from, colours}) cudaFree(array);
  cudaFree(rank);
}
