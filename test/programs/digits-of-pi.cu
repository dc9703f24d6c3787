// Hexadecimal digits of π from any place on, one a thread, by powers modulo small numbers.
#include <cstdio>
#include <cstdlib>

__device__ double power(int exponent, int modulus) {
  long long result = 1, base = 16 % modulus;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return modulus == 1 ? 0 : double(result);
}

__device__ double series(int place, int offset) {
  double sum = 0;
  for (int k = 0; k <= place; k++) {
    int modulus = 8 * k + offset;
    sum += power(place - k, modulus) / modulus;
    sum -= floor(sum);
  }
  double scale = 1.0 / 16;
  for (int k = place + 1; k < place + 12; k++, scale /= 16) sum += scale / (8 * k + offset);
  return sum - floor(sum);
}

__global__ void digits(char* out, int first, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  int place = first + i;
  double x = 4 * series(place, 1) - 2 * series(place, 4) - series(place, 5) - series(place, 6);
  x -= floor(x);
  out[i] = "0123456789abcdef"[int(16 * x)];
}

int main(int argc, char** argv) {
  int first = atoi(argv[1]), n = atoi(argv[2]);
  char *out, text[65] = {};
  cudaMalloc(&out, 64);
  digits<<<1, 64>>>(out, first, n);
  cudaMemcpy(text, out, n, cudaMemcpyDeviceToHost);
  printf("%s\n", text);
  cudaFree(out);
}
