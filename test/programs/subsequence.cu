// The longest common subsequence of two texts: the table is filled by diagonals, a launch each, and the host walks
// back.
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

__global__ void diagonal(const char* a, const char* b, int* table, int n, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = d - i;
  if (i > n || j < 1 || j > n) return;
  int width = n + 1, up = table[(i - 1) * width + j], left = table[i * width + j - 1];
  table[i * width + j] = a[i - 1] == b[j - 1] ? table[(i - 1) * width + j - 1] + 1 : max(up, left);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  char *a = managed<char>(n), *b = managed<char>(n);
  int width = n + 1, *table = managed<int>(width * width);
  for (int i = 0; i < n; i++) {
    a[i] = 'a' + hash(i, seed) % 6;
    b[i] = 'a' + hash(i, seed + 1) % 6;
  }
  for (int d = 2; d <= 2 * n; d++) diagonal<<<(n + 63) / 64, 64>>>(a, b, table, n, d);
  cudaDeviceSynchronize();
  int length = table[width * width - 1];
  char* common = managed<char>(length + 1);
  for (int i = n, j = n, k = length; k > 0;) {
    if (table[(i - 1) * width + j] == k)
      i--;
    else if (table[i * width + j - 1] == k)
      j--;
    else
      common[--k] = a[--i], j--;
  }
  printf("%d %s\n", length, common);
  cudaFree(a);
  cudaFree(b);
  cudaFree(table);
  cudaFree(common);
}
