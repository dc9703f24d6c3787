// A picture made larger, by fixed-point weights of the four nearest pixels.
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

__global__ void resize(const uchar3* x, int width, int height, uchar3* y, int to_width, int to_height) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= to_width || py >= to_height) return;
  int fx = px * (width - 1) * 256 / (to_width - 1), fy = py * (height - 1) * 256 / (to_height - 1);
  int left = fx >> 8, top = fy >> 8, right = min(left + 1, width - 1), bottom = min(top + 1, height - 1);
  fx &= 255;
  fy &= 255;
  auto mix = [=](int a, int b, int c, int d) {
    return ((a * (256 - fx) + b * fx) * (256 - fy) + (c * (256 - fx) + d * fx) * fy + 32768) >> 16;
  };
  uchar3 a = x[top * width + left], b = x[top * width + right], c = x[bottom * width + left],
         d = x[bottom * width + right];
  y[py * to_width + px] = make_uchar3(mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y), mix(a.z, b.z, c.z, d.z));
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]), to_width = atoi(argv[3]), to_height = atoi(argv[4]);
  unsigned seed = atoi(argv[5]);
  std::vector<unsigned char> host(width * height * 3);
  for (size_t i = 0; i < host.size(); i++) host[i] = hash(i, seed) % 256;
  unsigned char *x = upload(host), *y;
  cudaMalloc(&y, to_width * to_height * 3);
  resize<<<dim3((to_width + 7) / 8, (to_height + 7) / 8), dim3(8, 8)>>>((uchar3*)x, width, height, (uchar3*)y, to_width,
                                                                        to_height);
  printf("checksum %lld\n", checksum(download(y, to_width * to_height * 3)));
  cudaFree(x);
  cudaFree(y);
}
