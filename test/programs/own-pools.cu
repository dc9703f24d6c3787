// A pool of the program's own: what is asked of it by name, or of the device while it is the device's, how much of it
// is used, and that it is gone in the end.
#include <cstdio>
#include <cstdlib>

__global__ void add(int* x, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}

unsigned long long of(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  unsigned long long value = 12345;
  cudaMemPoolGetAttribute(pool, attribute, &value);
  return value;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPool_t pool, standard, now;
  if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess) return 2;
  unsigned long long threshold = 1 << 20;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaDeviceGetDefaultMemPool(&standard, 0);
  printf("kept %llu, another pool %d\n", of(pool, cudaMemPoolAttrReleaseThreshold), pool != standard);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *a, *b, *c;
  cudaMallocFromPoolAsync(&a, n * sizeof(int), pool, stream);
  cudaMallocAsync(&b, n * sizeof(int), pool, stream);
  cudaMallocAsync(&c, 256, stream);
  cudaMemsetAsync(a, 0, n * sizeof(int), stream);
  add<<<(n + 127) / 128, 128, 0, stream>>>(a, n, 7);
  cudaMemcpyAsync(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
  int last = 0;
  cudaMemcpyAsync(&last, b + n - 1, sizeof last, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  bool is_used = of(pool, cudaMemPoolAttrUsedMemCurrent) >= 2ull * n * sizeof(int);
  bool is_reserved = of(pool, cudaMemPoolAttrReservedMemCurrent) >= of(pool, cudaMemPoolAttrUsedMemCurrent);
  printf("last %d, used %d, reserved %d\n", last, is_used, is_reserved);
  cudaFreeAsync(a, stream);
  cudaFree(b);
  cudaStreamSynchronize(stream);
  bool is_high = of(pool, cudaMemPoolAttrUsedMemHigh) >= 2ull * n * sizeof(int);
  printf("used %llu, once more %d\n", of(pool, cudaMemPoolAttrUsedMemCurrent), is_high);
  unsigned long long none = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none);
  printf("again from %llu\n", of(pool, cudaMemPoolAttrUsedMemHigh));

  cudaDeviceSetMemPool(0, pool);
  cudaDeviceGetMemPool(&now, 0);
  cudaMallocAsync(&a, n * sizeof(int), stream);
  printf("the device's %d, used %d\n", now == pool, of(pool, cudaMemPoolAttrUsedMemCurrent) >= n * sizeof(int));
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  cudaMemPoolSetAccess(pool, &access, 1);
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  cudaMemPoolGetAccess(&flags, pool, &access.location);
  printf("access %d\n", flags);
  cudaFreeAsync(a, stream);
  cudaFreeAsync(c, stream);
  cudaMemPoolTrimTo(pool, 0);
  cudaStreamSynchronize(stream);
  cudaDeviceSetMemPool(0, standard);
  cudaMemPoolDestroy(pool);
  cudaStreamDestroy(stream);
}
