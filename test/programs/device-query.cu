// What a device says of itself.
#include <cstdio>
#include <cstring>
#include "helper_cuda.h"

int main(int argc, const char** argv) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; device++) {
    checkCudaErrors(cudaSetDevice(device));
    int current = -1, multiprocessors = 0, warp = 0;
    checkCudaErrors(cudaGetDevice(&current));
    cudaDeviceProp prop;
    checkCudaErrors(cudaGetDeviceProperties(&prop, device));
    checkCudaErrors(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    checkCudaErrors(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device));
    size_t free = 0, total = 0;
    checkCudaErrors(cudaMemGetInfo(&free, &total));
    int driver = 0, runtime = 0;
    checkCudaErrors(cudaDriverGetVersion(&driver));
    checkCudaErrors(cudaRuntimeGetVersion(&runtime));
    printf("Device %d named %s\n", current, strlen(prop.name) > 0 ? "something" : "nothing");
    printf("warp %d threads %d block (%d, %d, %d) shared %d\n", prop.warpSize, prop.maxThreadsPerBlock,
           prop.maxThreadsDim[0], prop.maxThreadsDim[1], prop.maxThreadsDim[2], (int)prop.sharedMemPerBlock);
    printf("agrees %d\n", multiprocessors == prop.multiProcessorCount && warp == prop.warpSize && free <= total &&
                              total > 0 && prop.major >= 7 && driver >= 12000 && runtime >= 12000);
  }
  return 0;
}
