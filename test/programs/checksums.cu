// CRC-32 of many parts of a text, with a table that a kernel makes in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void crc32(const unsigned char* text, int length, int part, unsigned* sums) {
  __shared__ unsigned table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    unsigned entry = i;
    for (int bit = 0; bit < 8; bit++) entry = entry >> 1 ^ (0xedb88320u & -(entry & 1));
    table[i] = entry;
  }
  __syncthreads();
  int first = threadIdx.x * part;
  if (first >= length) return;
  unsigned sum = ~0u;
  for (int i = first; i < min(first + part, length); i++) sum = sum >> 8 ^ table[(sum ^ text[i]) & 255];
  sums[threadIdx.x] = ~sum;
}

int main(int argc, char** argv) {
  int length = (int)strlen(argv[1]), part = atoi(argv[2]), parts = (length + part - 1) / part;
  unsigned char* text;
  unsigned *sums, host[64];
  cudaMalloc(&text, length);
  cudaMalloc(&sums, sizeof(host));
  cudaMemcpy(text, argv[1], length, cudaMemcpyHostToDevice);
  crc32<<<1, 64>>>(text, length, part, sums);
  cudaMemcpy(host, sums, parts * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (int i = 0; i < parts; i++) printf("%08x\n", host[i]);
  cudaFree(text);
  cudaFree(sums);
}
