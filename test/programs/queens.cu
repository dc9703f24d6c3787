// Places for n queens: each thread takes the first two rows and tries the others by bit masks.
#include <cstdio>
#include <cstdlib>

__device__ int solutions(int n, unsigned columns, unsigned left, unsigned right, int row) {
  if (row == n) return 1;
  int count = 0;
  for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
    unsigned queen = free & -free;
    count += solutions(n, columns | queen, (left | queen) << 1, (right | queen) >> 1, row + 1);
  }
  return count;
}

__global__ void queens(int n, int* count) {
  int first = threadIdx.x, second = blockIdx.x;
  if (abs(first - second) < 2) return;
  unsigned a = 1u << first, b = 1u << second;
  unsigned left = (a << 1 | b) << 1, right = (a >> 1 | b) >> 1;
  atomicAdd(count, solutions(n, a | b, left, right, 2));
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), host = 0, *count;
  cudaMalloc(&count, sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  queens<<<n, n>>>(n, count);
  cudaMemcpy(&host, count, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(count);
}
