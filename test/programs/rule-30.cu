// A row of cells, 32 in a word: neighbours come by funnel shifts and from neighbouring words.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

__global__ void step(const unsigned* cells, unsigned* next, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  unsigned now = cells[i], before = i > 0 ? cells[i - 1] : 0, after = i + 1 < words ? cells[i + 1] : 0;
  unsigned left = __funnelshift_l(before, now, 1), right = __funnelshift_r(now, after, 1);
  next[i] = left ^ (now | right);
}

int main(int argc, char** argv) {
  int words = atoi(argv[1]), steps = atoi(argv[2]);
  std::vector<unsigned> host(words);
  host[words / 2] = 1;
  unsigned *cells = upload(host), *next = upload(host);
  for (int k = 0; k < steps; k++) {
    step<<<1, words>>>(cells, next, words);
    std::swap(cells, next);
  }
  for (unsigned word : download(cells, words)) printf("%08x", word);
  printf("\n");
  cudaFree(cells);
  cudaFree(next);
}
