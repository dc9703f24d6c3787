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
    int width = 0, depth = 0, layers = 0, by_id = -1;
    char id[16], short_id[4];
    checkCudaErrors(cudaDeviceGetAttribute(&width, cudaDevAttrMaxTexture2DWidth, device));
    checkCudaErrors(cudaDeviceGetAttribute(&depth, cudaDevAttrMaxTexture3DDepth, device));
    checkCudaErrors(cudaDeviceGetAttribute(&layers, cudaDevAttrMaxTexture1DLayeredLayers, device));
    printf("textures %d %d %d %d\n", prop.maxTexture2D[0] == width && prop.maxTexture1D >= 65536,
           prop.maxTexture3D[2] == depth && depth >= 2048, prop.maxTexture1DLayered[1] == layers && layers >= 2048,
           prop.surfaceAlignment > 0 && prop.texturePitchAlignment > 0);
    printf("managed %d pools %d preemption %d\n", prop.managedMemory, prop.memoryPoolsSupported,
           prop.computePreemptionSupported);
    checkCudaErrors(cudaDeviceGetPCIBusId(id, sizeof id, device));
    checkCudaErrors(cudaDeviceGetByPCIBusId(&by_id, id));
    cudaError_t too_short = cudaDeviceGetPCIBusId(short_id, sizeof short_id, device);
    cudaError_t unknown = cudaDeviceGetByPCIBusId(&by_id, "FFFF:FF:1F.0");
    printf("bus %d %d %s %s\n", (int)strlen(id), by_id, cudaGetErrorName(too_short), cudaGetErrorName(unknown));
  }
  return 0;
}
