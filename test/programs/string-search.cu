// How often words stand in a text: a thread for each place, a block row for each word.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

__constant__ char words[4][16] = {"to", "be", "question", "the "};

__global__ void search(const char* text, int length, int* counts) {
  int place = blockIdx.x * blockDim.x + threadIdx.x;
  const char* word = words[blockIdx.y];
  int k = 0;
  while (word[k] != 0 && place + k < length && text[place + k] == word[k]) k++;
  if (word[k] == 0) atomicAdd(&counts[blockIdx.y], 1);
}

int main(int argc, char** argv) {
  std::string text;
  for (int i = 1; i < argc; i++) text += std::string(argv[i]) + " ";
  char* there;
  int* counts;
  cudaMalloc(&there, text.size());
  cudaMalloc(&counts, 4 * sizeof(int));
  cudaMemset(counts, 0, 4 * sizeof(int));
  cudaMemcpy(there, text.c_str(), text.size(), cudaMemcpyHostToDevice);
  search<<<dim3((text.size() + 31) / 32, 4), 32>>>(there, (int)text.size(), counts);
  int host[4];
  cudaMemcpy(host, counts, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  cudaFree(there);
  cudaFree(counts);
}
