// A picture of spheres by parallel rays, in whole numbers: the nearest hit of each pixel, and how it is lit.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}
template <class T>
long long checksum(const T* values, size_t n) {
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

struct Sphere {
  int x, y, z, radius;
};
__constant__ Sphere spheres[24];

__device__ int root(int n) {
  int r = 0;
  for (int bit = 1 << 14; bit > 0; bit /= 2)
    if ((r + bit) * (r + bit) <= n) r += bit;
  return r;
}

__global__ void render(unsigned char* picture, int size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  int nearest = -1000000, light = 0;
  for (const Sphere& s : spheres) {
    int dx = x - s.x, dy = y - s.y, rest = s.radius * s.radius - dx * dx - dy * dy;
    if (rest < 0) continue;
    int up = root(rest);
    if (s.z + up <= nearest) continue;
    nearest = s.z + up;
    light = 255 * up / s.radius;
  }
  picture[y * size + x] = light;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  Sphere host[24];
  for (int k = 0; k < 24; k++)
    host[k] = {(int)(hash(4 * k, seed) % n), (int)(hash(4 * k + 1, seed) % n), (int)(hash(4 * k + 2, seed) % n),
               (int)(5 + hash(4 * k + 3, seed) % 20)};
  cudaMemcpyToSymbol(spheres, host, sizeof(host));
  unsigned char* picture = managed<unsigned char>(n * n);
  render<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(picture, n);
  cudaDeviceSynchronize();
  printf("centre %d checksum %lld\n", picture[n / 2 * n + n / 2], checksum(picture, n * n));
  cudaFree(picture);
}
