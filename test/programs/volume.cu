// A texture of three axes: the brightest point along each ray through a volume, between its points by halves.
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
__global__ void brightest(cudaTextureObject_t volume, float* picture, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float most = 0;
  for (int z = 0; z < n; z++) most = fmaxf(most, tex3D<float>(volume, x + 1.0f, y + 0.5f, z + 0.5f));
  picture[y * n + x] = most;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  float* host = (float*)malloc(n * n * n * sizeof(float));
  for (int i = 0; i < n * n * n; i++) host[i] = hash(i, seed) % 256;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaExtent extent = make_cudaExtent(n, n, n);
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, extent);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, n * sizeof(float), n, n);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc terms = {};
  for (auto& mode : terms.addressMode) mode = cudaAddressModeClamp;
  terms.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t volume;
  cudaCreateTextureObject(&volume, &resource, &terms, nullptr);
  float* picture = managed<float>(n * n);
  brightest<<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(volume, picture, n);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < n * n; i++) sum += picture[i] * (i % 97);
  printf("first %.1f checksum %.1f\n", picture[0], sum);
  cudaDestroyTextureObject(volume);
  cudaFreeArray(array);
  cudaFree(picture);
  free(host);
}
