// The best local alignment of two sequences, diagonal by diagonal, a launch each.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void diagonal(const char* a, int m, const char* b, int n, int* score, int d, int* best) {
  int row = max(1, d - n) + blockIdx.x * blockDim.x + threadIdx.x, column = d - row;
  if (row > m || column < 1) return;
  int width = n + 1, fits = a[row - 1] == b[column - 1] ? 3 : -2;
  int here = max(0, score[(row - 1) * width + column - 1] + fits);
  here = max(here, max(score[(row - 1) * width + column], score[row * width + column - 1]) - 4);
  score[row * width + column] = here;
  atomicMax(best, here);
}

int main(int argc, char** argv) {
  int m = (int)strlen(argv[1]), n = (int)strlen(argv[2]), host = 0, *score, *best;
  size_t bytes = (m + 1) * (n + 1) * sizeof(int);
  char *a, *b;
  cudaMalloc(&a, m);
  cudaMalloc(&b, n);
  cudaMalloc(&score, bytes);
  cudaMalloc(&best, sizeof(int));
  cudaMemcpy(a, argv[1], m, cudaMemcpyHostToDevice);
  cudaMemcpy(b, argv[2], n, cudaMemcpyHostToDevice);
  cudaMemset(score, 0, bytes);
  cudaMemset(best, 0, sizeof(int));
  for (int d = 2; d <= m + n; d++) diagonal<<<(m + 31) / 32, 32>>>(a, m, b, n, score, d, best);
  cudaMemcpy(&host, best, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  for (void* each : {(void*)a, (void*)b, (void*)score, (void*)best}) cudaFree(each);
}
