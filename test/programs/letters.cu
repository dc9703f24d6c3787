// How often groups of four letters stand in a text: private bins, coarser threads, and sums of runs before an atomic.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM_BINS 7
#define CFACTOR 5

__global__ void histo_private_kernel(const char* data, unsigned int length, unsigned int* histo) {
  __shared__ unsigned int histo_s[NUM_BINS];
  for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) histo_s[bin] = 0u;
  __syncthreads();
  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int i = tid * CFACTOR; i < min((tid + 1) * CFACTOR, length); ++i) {
    int alphabet_position = data[i] - 'a';
    if (alphabet_position >= 0 && alphabet_position < 26) atomicAdd(&histo_s[alphabet_position / 4], 1);
  }
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x) {
    unsigned int binValue = histo_s[bin];
    if (binValue > 0) atomicAdd(&histo[bin], binValue);
  }
}

__global__ void histo_aggregated_kernel(const char* data, unsigned int length, unsigned int* histo) {
  unsigned int accumulator = 0;
  int prevBinIdx = -1;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x) {
    int alphabet_position = data[i] - 'a';
    if (alphabet_position < 0 || alphabet_position >= 26) continue;
    int bin = alphabet_position / 4;
    if (bin == prevBinIdx) {
      ++accumulator;
    } else {
      if (accumulator > 0) atomicAdd(&histo[prevBinIdx], accumulator);
      accumulator = 1;
      prevBinIdx = bin;
    }
  }
  if (accumulator > 0) atomicAdd(&histo[prevBinIdx], accumulator);
}

int main(int argc, char* argv[]) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s TEXT…\n", argv[0]);
    return 2;
  }
  for (int arg = 1; arg < argc; arg++) {
    char *text = strdup(argv[arg]), *d_text;
    unsigned int length = strlen(text), *d_histo, histo[2][NUM_BINS];
    for (char* c = text; *c; c++) *c = tolower(*c);
    cudaMalloc((void**)&d_text, length);
    cudaMalloc((void**)&d_histo, sizeof(histo));
    cudaMemset(d_histo, 0, sizeof(histo));
    cudaMemcpy(d_text, text, length, cudaMemcpyHostToDevice);
    histo_private_kernel<<<(length + 32 * CFACTOR - 1) / (32 * CFACTOR), 32>>>(d_text, length, d_histo);
    histo_aggregated_kernel<<<2, 8>>>(d_text, length, d_histo + NUM_BINS);
    cudaMemcpy(histo, d_histo, sizeof(histo), cudaMemcpyDeviceToHost);
    for (int bin = 0; bin < NUM_BINS; bin++)
      printf("%c-%c %2u %2u%s", 'a' + 4 * bin, bin < NUM_BINS - 1 ? 'd' + 4 * bin : 'z', histo[0][bin], histo[1][bin],
             bin < NUM_BINS - 1 ? " | " : "\n");
    cudaFree(d_text);
    cudaFree(d_histo);
    free(text);
  }
}
