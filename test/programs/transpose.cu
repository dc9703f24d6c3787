// A transpose through a padded tile, of rows with a pitch.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kTile = 32;
const int kRows = 8;

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void transpose(const int* in, size_t in_pitch, int* out, size_t out_pitch, int width, int height) {
  __shared__ int tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    int row = blockIdx.y * kTile + y;
    if (x < width && row < height) tile[y][threadIdx.x] = ((const int*)((const char*)in + row * in_pitch))[x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    int row = blockIdx.x * kTile + y;
    if (x < height && row < width) ((int*)((char*)out + row * out_pitch))[x] = tile[threadIdx.x][y];
  }
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<int> host(width * height), turned(width * height);
  for (int i = 0; i < width * height; i++) host[i] = hash(i, seed) % 1000;
  int *in, *out;
  size_t in_pitch, out_pitch;
  cudaMallocPitch(&in, &in_pitch, width * sizeof(int), height);
  cudaMallocPitch(&out, &out_pitch, height * sizeof(int), width);
  cudaMemset2D(out, out_pitch, 0xff, height * sizeof(int), width);
  cudaMemcpy2D(in, in_pitch, host.data(), width * sizeof(int), width * sizeof(int), height, cudaMemcpyHostToDevice);
  transpose<<<dim3((width + kTile - 1) / kTile, (height + kTile - 1) / kTile), dim3(kTile, kRows)>>>(
      in, in_pitch, out, out_pitch, width, height);
  cudaMemcpy2D(turned.data(), height * sizeof(int), out, out_pitch, height * sizeof(int), width,
               cudaMemcpyDeviceToHost);
  long long weighted = 0;
  for (int i = 0; i < width * height; i++) weighted += (long long)turned[i] * (i % 1009);
  printf("checksum %lld pitched %d\n", weighted, in_pitch >= width * sizeof(int) && in_pitch % 4 == 0);
  cudaFree(in);
  cudaFree(out);
}
