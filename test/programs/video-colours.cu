// A picture in brightness and shared colours (NV12) becomes one of red, green and blue, four bytes a pixel.
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

__device__ int byte(int value) { return max(0, min(255, value >> 8)); }

__global__ void convert(const unsigned char* frame, uchar4* picture, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar2* colours = (const uchar2*)(frame + width * height);
  uchar2 uv = colours[y / 2 * (width / 2) + x / 2];
  int c = 298 * (frame[y * width + x] - 16) + 128, d = uv.x - 128, e = uv.y - 128;
  picture[y * width + x] = make_uchar4(byte(c + 409 * e), byte(c - 100 * d - 208 * e), byte(c + 516 * d), 255);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int width = 2 * n, height = n, size = width * height;
  unsigned char* frame = managed<unsigned char>(size * 3 / 2);
  uchar4* picture = managed<uchar4>(size);
  for (int i = 0; i < size * 3 / 2; i++) frame[i] = hash(i, seed) % 256;
  convert<<<dim3((width + 31) / 32, (height + 3) / 4), dim3(32, 4)>>>(frame, picture, width, height);
  cudaDeviceSynchronize();
  printf("first %d %d %d checksum %lld\n", picture[0].x, picture[0].y, picture[0].z,
         checksum((unsigned char*)picture, 4 * size));
  cudaFree(frame);
  cudaFree(picture);
}
