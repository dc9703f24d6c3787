// Where a small picture fits best into a large one: sums of differences of four bytes at once.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SIZE 8

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

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

__global__ void search(const unsigned char* x, int width, int height, const unsigned* small, unsigned long long* best) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px + SIZE > width || py + SIZE > height) return;
  unsigned apart = 0;
  for (int row = 0; row < SIZE; row++)
    for (int word = 0; word < SIZE / 4; word++) {
      const unsigned char* four = x + (py + row) * width + px + 4 * word;
      unsigned packed = four[0] | four[1] << 8 | four[2] << 16 | four[3] << 24;
      apart += __vsadu4(packed, small[row * SIZE / 4 + word]);
    }
  atomicMin(best, (unsigned long long)apart << 32 | (py * width + px));
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]), left = atoi(argv[3]), top = atoi(argv[4]);
  unsigned seed = atoi(argv[5]);
  std::vector<unsigned char> host(width * height), part(SIZE * SIZE);
  for (int i = 0; i < width * height; i++) host[i] = hash(i, seed) % 256;
  // A part of it, with noise.
  for (int i = 0; i < SIZE * SIZE; i++)
    part[i] = host[(top + i / SIZE) * width + left + i % SIZE] ^ (hash(i, seed + 1) % 8);
  unsigned char *x = upload(host), *small = upload(part);
  unsigned long long* best = upload(std::vector<unsigned long long>{~0ull});
  search<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(x, width, height, (unsigned*)small, best);
  unsigned long long found = download(best, 1)[0];
  printf("at %d %d, off by %u\n", int((unsigned)found % width), int((unsigned)found / width), unsigned(found >> 32));
  cudaFree(x);
  cudaFree(small);
  cudaFree(best);
}
