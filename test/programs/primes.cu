// A sieve: each thread strikes out the multiples of one number, and a vote counts what is left.
#include <cstdio>
#include <cstdlib>

__global__ void strike(unsigned char* is_struck, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (k * k > n) return;
  for (int multiple = k * k; multiple <= n; multiple += k) is_struck[multiple] = 1;
}

__global__ void count(const unsigned char* is_struck, int* primes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int found = __syncthreads_count(i >= 2 && i <= n && !is_struck[i]);
  if (threadIdx.x == 0) atomicAdd(primes, found);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), host;
  unsigned char* is_struck;
  int* primes;
  cudaMalloc(&is_struck, n + 1);
  cudaMalloc(&primes, sizeof(int));
  cudaMemset(is_struck, 0, n + 1);
  cudaMemset(primes, 0, sizeof(int));
  strike<<<2, 64>>>(is_struck, n);
  count<<<n / 256 + 1, 256>>>(is_struck, primes, n);
  cudaMemcpy(&host, primes, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d primes up to %d\n", host, n);
  cudaFree(is_struck);
  cudaFree(primes);
}
