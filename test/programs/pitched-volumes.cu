// A volume in pitched memory of three axes: filled, copied in part, read by slices and rows as the guide has it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

// Adds what lies below and above, slice by slice.
__global__ void addNeighbours(cudaPitchedPtr from, cudaPitchedPtr to, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  size_t slicePitch = from.pitch * height;
  for (int z = 0; z < depth; ++z) {
    int sum = 0;
    for (int k = max(z - 1, 0); k <= min(z + 1, depth - 1); k++) {
      const char* slice = (const char*)from.ptr + k * slicePitch;
      const int* row = (const int*)(slice + y * from.pitch);
      sum += row[x];
    }
    ((int*)((char*)to.ptr + z * to.pitch * height + y * to.pitch))[x] = sum;
  }
}

int main(int argc, char** argv) {
  const int width = atoi(argv[1]), height = atoi(argv[2]), depth = atoi(argv[3]);
  const unsigned seed = atoi(argv[4]);
  const size_t count = (size_t)width * height * depth;
  int *host = (int*)malloc(count * sizeof(int)), *out = (int*)malloc(count * sizeof(int));
  for (size_t i = 0; i < count; i++) host[i] = hash(i, seed) % 100;
  memset(out, 0, count * sizeof(int));

  cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  cudaPitchedPtr a, b;
  cudaMalloc3D(&a, extent);
  cudaMalloc3D(&b, extent);
  cudaMemset3D(a, 0, extent);
  printf("%d %d %d\n", a.pitch >= extent.width, (int)(a.xsize / sizeof(int)), (int)a.ysize);

  // All but the last slice and the first column go there.
  cudaMemcpy3DParms there = {0};
  there.srcPtr = make_cudaPitchedPtr(host, width * sizeof(int), width, height);
  there.srcPos = make_cudaPos(sizeof(int), 0, 0);
  there.dstPtr = a;
  there.dstPos = make_cudaPos(sizeof(int), 0, 0);
  there.extent = make_cudaExtent((width - 1) * sizeof(int), height, depth - 1);
  there.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&there);

  dim3 block(8, 4), grid((width + 7) / 8, (height + 3) / 4);
  addNeighbours<<<grid, block>>>(a, b, width, height, depth);
  // Two rows of each slice become -1 in each byte.
  cudaMemset3DAsync(b, 0xff, make_cudaExtent(width * sizeof(int), 2, depth));

  cudaMemcpy3DParms back = {0};
  back.srcPtr = b;
  back.dstPtr = make_cudaPitchedPtr(out, width * sizeof(int), width, height);
  back.extent = extent;
  back.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&back);
  long long checksum = 0;
  for (size_t i = 0; i < count; i++) checksum += (long long)out[i] * (i % 97);
  printf("checksum %lld\n", checksum);
  cudaFree(a.ptr);
  cudaFree(b.ptr);
  free(host);
  free(out);
  return 0;
}
