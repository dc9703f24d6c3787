// Mersenne twisters, one a thread with a seed of its own; each is as long as its published recurrence.
#include <cstdio>
#include <cstdlib>

template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

__global__ void draw(const unsigned* seeds, unsigned* states, unsigned* last, int count, int n) {
  int t = threadIdx.x;
  // Interleaved, so that neighbours read neighbouring words.
  auto at = [&](int i) -> unsigned& { return states[i % 624 * n + t]; };
  at(0) = seeds[t];
  for (int i = 1; i < 624; i++) at(i) = 1812433253u * (at(i - 1) ^ (at(i - 1) >> 30)) + i;
  unsigned word = 0;
  for (int i = 0; i < count; i++) {
    unsigned mixed = (at(i) & 0x80000000u) | (at(i + 1) & 0x7fffffffu);
    word = at(i) = at(i + 397) ^ (mixed >> 1) ^ (mixed & 1 ? 0x9908b0dfu : 0);
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680u;
    word ^= word << 15 & 0xefc60000u;
    word ^= word >> 18;
  }
  last[t] = word;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned *seeds = managed<unsigned>(n), *states = managed<unsigned>(624 * n), *last = managed<unsigned>(n);
  seeds[0] = 5489;
  for (int i = 1; i < n; i++) seeds[i] = seed + i;
  draw<<<1, n>>>(seeds, states, last, 10000, n);
  cudaDeviceSynchronize();
  printf("%u %u\n", last[0], last[n - 1]);
  cudaFree(seeds);
  cudaFree(states);
  cudaFree(last);
}
