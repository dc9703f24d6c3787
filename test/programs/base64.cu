// Bytes as letters: three bytes a thread, letters from constant memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void encode(const unsigned char* x, int n, char4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = 3 * i;
  if (at >= n) return;
  unsigned bits = x[at] << 16 | (at + 1 < n ? x[at + 1] << 8 : 0) | (at + 2 < n ? x[at + 2] : 0);
  out[i] = make_char4(letters[bits >> 18], letters[bits >> 12 & 63], at + 1 < n ? letters[bits >> 6 & 63] : '=',
                      at + 2 < n ? letters[bits & 63] : '=');
}

int main(int argc, char** argv) {
  for (int a = 1; a < argc; a++) {
    int n = (int)strlen(argv[a]), groups = (n + 2) / 3;
    unsigned char* x;
    char4* out;
    char text[1024] = {};
    cudaMalloc(&x, n);
    cudaMalloc(&out, groups * sizeof(char4));
    cudaMemcpy(x, argv[a], n, cudaMemcpyHostToDevice);
    encode<<<(groups + 31) / 32, 32>>>(x, n, out);
    cudaMemcpy(text, out, groups * sizeof(char4), cudaMemcpyDeviceToHost);
    printf("%s\n", text);
    cudaFree(x);
    cudaFree(out);
  }
}
