// How many changes make one word of another: diagonals of a table, one barrier each, in shared memory.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#define MOST 128

__global__ void distance(const char* a, int m, const char* b, int n, int* result) {
  __shared__ int diagonal[3][MOST + 1];
  int row = threadIdx.x;
  for (int d = 0; d <= m + n; d++) {
    int column = d - row;
    if (row <= m && column >= 0 && column <= n) {
      int* now = diagonal[d % 3];
      const int *last = diagonal[(d + 2) % 3], *before = diagonal[(d + 1) % 3];
      if (row == 0 || column == 0)
        now[row] = d;
      else {
        int replaced = before[row - 1] + (a[row - 1] != b[column - 1]);
        now[row] = min(replaced, min(last[row - 1], last[row]) + 1);
      }
      if (d == m + n) *result = now[row];
    }
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  int *result, count = 0;
  char *a, *b;
  cudaMalloc(&a, MOST);
  cudaMalloc(&b, MOST);
  cudaMalloc(&result, sizeof(int));
  for (int i = 1; i + 1 < argc; i += 2) {
    int m = (int)strlen(argv[i]), n = (int)strlen(argv[i + 1]);
    cudaMemcpy(a, argv[i], m, cudaMemcpyHostToDevice);
    cudaMemcpy(b, argv[i + 1], n, cudaMemcpyHostToDevice);
    distance<<<1, m + 1>>>(a, m, b, n, result);
    cudaMemcpy(&count, result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", count);
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(result);
}
