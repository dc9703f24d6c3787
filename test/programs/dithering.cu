// Error diffusion by waves: a row may go on as soon as the one above is three pixels ahead.
#include <cstdio>
#include <cstdlib>
#include <vector>

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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

// One block, a thread a row; at tick t row r is at pixel t - 2 r.
__global__ void dither(int* grey, unsigned char* out, int width, int height) {
  int row = threadIdx.x;
  for (int tick = 0; tick < width + 2 * (height - 1); tick++) {
    int x = tick - 2 * row;
    if (x >= 0 && x < width) {
      int old = grey[row * width + x], now = old < 128 * 16 ? 0 : 255 * 16, error = old - now;
      out[row * width + x] = now > 0;
      if (x + 1 < width) grey[row * width + x + 1] += error * 7 / 16;
      if (row + 1 < height) {
        if (x > 0) grey[(row + 1) * width + x - 1] += error * 3 / 16;
        grey[(row + 1) * width + x] += error * 5 / 16;
        if (x + 1 < width) grey[(row + 1) * width + x + 1] += error / 16;
      }
    }
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<int> host(width * height);
  for (int i = 0; i < width * height; i++) host[i] = 16 * (i % width * 200 / width + hash(i, seed) % 50);
  int* grey = upload(host);
  unsigned char* out;
  cudaMalloc(&out, width * height);
  dither<<<1, height>>>(grey, out, width, height);
  printf("checksum %lld\n", checksum(download(out, width * height)));
  cudaFree(grey);
  cudaFree(out);
}
