// The inverse of a matrix modulo a prime, after Gauss and Jordan, with a search for each pivot.
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

#define PRIME 65521u

__host__ __device__ unsigned power(unsigned base, unsigned exponent) {
  unsigned long long result = 1, square = base;
  for (; exponent > 0; exponent /= 2, square = square * square % PRIME)
    if (exponent & 1) result = result * square % PRIME;
  return result;
}

// Row `pivot` gets a leading one, all others a zero there. A block is a row; the row of the pivot is read from a copy.
__global__ void eliminate(const unsigned* a, unsigned* to, int n, int pivot, int from) {
  int row = blockIdx.x, width = 2 * n;
  // Rows `pivot` and `from` change places.
  int source = row == pivot ? from : row == from ? pivot : row;
  unsigned long long inverse = power(a[from * width + pivot], PRIME - 2), factor = a[source * width + pivot];
  for (int column = threadIdx.x; column < width; column += blockDim.x) {
    unsigned scaled = a[from * width + column] * inverse % PRIME;
    unsigned own = a[source * width + column];
    to[row * width + column] = row == pivot ? scaled : (own + (PRIME - factor) * scaled) % PRIME;
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int width = 2 * n;
  unsigned *a = managed<unsigned>(n * width), *b = managed<unsigned>(n * width), *kept = managed<unsigned>(n * n);
  // A lower triangle times an upper one, which has an inverse, and its rows upside down.
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      unsigned long long value = 0;
      for (int k = 0; k <= row && k <= column; k++) {
        unsigned long long lower = k == row ? 1 : hash(row * n + k, seed) % PRIME;
        unsigned upper = k == column ? hash(k, seed + 1) % (PRIME - 1) + 1 : hash(k * n + column, seed + 2) % PRIME;
        value += lower * upper % PRIME;
      }
      kept[(n - 1 - row) * n + column] = a[(n - 1 - row) * width + column] = value % PRIME;
    }
  for (int row = 0; row < n; row++) a[row * width + n + row] = 1;
  for (int pivot = 0; pivot < n; pivot++) {
    cudaDeviceSynchronize();
    int from = pivot;
    while (a[from * width + pivot] == 0) from++;
    eliminate<<<n, 64>>>(a, b, n, pivot, from);
    unsigned* last = a;
    a = b;
    b = last;
  }
  cudaDeviceSynchronize();
  int right = 0;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      unsigned long long sum = 0;
      for (int k = 0; k < n; k++) sum += (unsigned long long)kept[row * n + k] * a[k * width + n + column] % PRIME;
      right += sum % PRIME == (row == column);
    }
  printf("right %d\n", right);
  cudaFree(a);
  cudaFree(b);
  cudaFree(kept);
}
