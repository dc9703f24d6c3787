// An image is turned by a texture of an array, layers are mixed, and a surface takes what comes out.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static unsigned hash(unsigned i, unsigned by) {
  unsigned h = i * 747796405u + by * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

#define CHECK(call)                                              \
  do {                                                           \
    cudaError_t error = call;                                    \
    if (error != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error)); \
      return 1;                                                  \
    }                                                            \
  } while (0)

// A quarter turn, with the pixel's halves mixed.
__global__ void turn(cudaTextureObject_t image, cudaSurfaceObject_t out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < h && y < w) surf2Dwrite(tex2D<float>(image, y + 1.0f, h - x - 0.5f), out, x * sizeof(float), y);
}
__global__ void layers(cudaTextureObject_t all, float* out, int w, int count) {
  int x = threadIdx.x;
  float sum = 0;
  for (int layer = 0; layer < count; layer++) sum += (layer + 1) * tex1DLayered<float>(all, (x + 0.5f) / w, layer);
  out[x] = sum;
}
__global__ void fetch(cudaTextureObject_t bytes, cudaTextureObject_t rows, int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<unsigned char>(bytes, n - 1 - i) + 1000 * tex2D<uchar4>(rows, i % 5, i / 5).z;
}

int main(int argc, char** argv) {
  int w = std::atoi(argv[1]), h = std::atoi(argv[2]);
  unsigned seed = unsigned(std::atoi(argv[3]));

  std::vector<float> image(w * h), turned(w * h);
  for (int i = 0; i < w * h; i++) image[i] = float(hash(i, seed) % 256);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t from, to;
  CHECK(cudaMallocArray(&from, &format, w, h));
  CHECK(cudaMallocArray(&to, &format, h, w, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(from, 0, 0, image.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = from;
  cudaTextureDesc sampling = {};
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  sampling.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.res.array.array = to;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  dim3 block(8, 8), grid((h + 7) / 8, (w + 7) / 8);
  turn<<<grid, block>>>(texture, surface, w, h);
  CHECK(cudaGetLastError());
  CHECK(
      cudaMemcpy2DFromArray(turned.data(), h * sizeof(float), to, 0, 0, h * sizeof(float), w, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < w * h; i++) sum += double(turned[i]) * (i % 7 + 1);
  std::printf("turned %.1f %.1f sum %.1f\n", turned[0], turned[w * h - 1], sum);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(from));
  CHECK(cudaFreeArray(to));

  int count = 3;
  cudaArray_t stack;
  CHECK(cudaMalloc3DArray(&stack, &format, make_cudaExtent(w, 0, count), cudaArrayLayered));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(image.data(), w * sizeof(float), w, 1);
  copy.dstArray = stack;
  copy.extent = make_cudaExtent(w, 1, count);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  resource.res.array.array = stack;
  sampling = {};
  sampling.addressMode[0] = cudaAddressModeWrap;
  sampling.normalizedCoords = 1;
  CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  float* mixed;
  CHECK(cudaMallocManaged(&mixed, w * sizeof(float)));
  layers<<<1, w>>>(texture, mixed, w, count);
  CHECK(cudaDeviceSynchronize());
  sum = 0;
  for (int x = 0; x < w; x++) sum += double(mixed[x]) * (x + 1);
  std::printf("layers %.0f\n", sum);

  std::vector<unsigned char> bytes(40);
  for (int i = 0; i < 40; i++) bytes[i] = (unsigned char)hash(i, seed + 1);
  unsigned char* linear;
  void* rows;
  size_t pitch;
  CHECK(cudaMalloc(&linear, 10));
  CHECK(cudaMemcpy(linear, bytes.data(), 10, cudaMemcpyHostToDevice));
  CHECK(cudaMallocPitch(&rows, &pitch, 5 * 4, 2));
  CHECK(cudaMemcpy2D(rows, pitch, bytes.data(), 5 * 4, 5 * 4, 2, cudaMemcpyHostToDevice));
  cudaTextureObject_t plain = 0, pitched = 0;
  sampling = {};
  resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = linear;
  resource.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
  resource.res.linear.sizeInBytes = 10;
  CHECK(cudaCreateTextureObject(&plain, &resource, &sampling, NULL));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
  resource.res.pitch2D.width = 5;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = pitch;
  sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
  CHECK(cudaCreateTextureObject(&pitched, &resource, &sampling, NULL));
  int* got;
  CHECK(cudaMallocManaged(&got, 10 * sizeof(int)));
  fetch<<<1, 32>>>(plain, pitched, got, 10);
  CHECK(cudaDeviceSynchronize());
  sum = 0;
  for (int i = 0; i < 10; i++) sum += double(got[i]) * (i + 1);
  std::printf("fetched %.0f\n", sum);

  // What cannot be.
  resource.resType = cudaResourceTypeMipmappedArray;
  std::printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&plain, &resource, &sampling, NULL)));
  std::printf("%s\n", cudaGetErrorName(
                          cudaMemcpy2DToArray(stack, 0, 0, image.data(), 4, w * 4 + 4, 1, cudaMemcpyHostToDevice)));
  return 0;
}
