// The game of life on two surfaces of an array each, that swap; what lies beyond the edge reads as 0.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void generation(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int around = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0) around += surf2Dread<unsigned char>(from, x + dx, y + dy, cudaBoundaryModeZero);
  unsigned char alive;
  surf2Dread(&alive, from, x, y);
  surf2Dwrite<unsigned char>(around == 3 || (alive && around == 2), to, x, y);
}

int main(int argc, char** argv) {
  const int width = atoi(argv[1]), height = atoi(argv[2]), generations = atoi(argv[3]);
  const unsigned seed = atoi(argv[4]);
  std::vector<unsigned char> host(width * height);
  for (int i = 0; i < width * height; i++) host[i] = hash(i, seed) % 3 == 0;
  cudaArray_t arrays[2];
  cudaSurfaceObject_t surfaces[2];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  for (int k = 0; k < 2; k++) {
    cudaMallocArray(&arrays[k], &format, width, height, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = arrays[k];
    cudaCreateSurfaceObject(&surfaces[k], &resource);
  }
  cudaMemcpy2DToArray(arrays[0], 0, 0, host.data(), width, width, height, cudaMemcpyHostToDevice);
  dim3 block(16, 8), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  for (int k = 0; k < generations; k++) {
    generation<<<grid, block>>>(surfaces[0], surfaces[1], width, height);
    std::swap(surfaces[0], surfaces[1]);
    std::swap(arrays[0], arrays[1]);
  }
  cudaMemcpy2DFromArray(host.data(), width, arrays[0], 0, 0, width, height, cudaMemcpyDeviceToHost);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) putchar(host[y * width + x] ? '#' : '.');
    putchar('\n');
  }
  for (int k = 0; k < 2; k++) {
    cudaDestroySurfaceObject(surfaces[k]);
    cudaFreeArray(arrays[k]);
  }
}
