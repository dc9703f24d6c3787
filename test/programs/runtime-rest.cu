// Calls of the runtime that CUDA's samples make beside the usual ones: bytes into and out of an array, a graph that is
// copied, hints, and questions about peers, of which there is none.
#include <cstdio>
#include <cuda_runtime.h>
#include <mma.h>

// Many programs check so; neither is a function of the runtime.
#define cudaCheckErrors(what)                                                    \
  do {                                                                           \
    cudaError_t error = cudaGetLastError();                                      \
    if (error != cudaSuccess) printf("%s: %s\n", what, cudaGetErrorName(error)); \
  } while (0)
void cudaTell(const char* what) { printf("%s\n", what); }

typedef struct __align__(8) {
  int x, y;
} Pair;

template <class T>
__global__ void copy(T* to, const T* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void add_one(int* value) { *value += 1; }
struct Counter {
  __device__ Counter(int start) : value(start) {}
  int value;
};
__global__ void count(int* out) {
  __shared__ long long place[1];
#if CUDART_VERSION >= 11000
  Counter* counter = new (place) Counter(*out);
  *out = counter->value + 5;
#endif
}

int main(int argc, char** argv) {
  int first = atoi(argv[1]);
  cudaSetDeviceFlags(cudaDeviceBlockingSync | cudaDeviceMapHost);

  // 6 texels a row; 11 texels from the fifth one of the second row on.
  float texels[24], back[24] = {}, part[11], read[11] = {};
  for (int i = 0; i < 24; i++) texels[i] = float(first + i);
  for (int i = 0; i < 11; i++) part[i] = float(-i);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 6, 4);
  cudaMemcpyToArray(array, 0, 0, texels, sizeof texels, cudaMemcpyHostToDevice);
  cudaMemcpyToArray(array, 4 * sizeof(float), 1, part, sizeof part, cudaMemcpyHostToDevice);
  cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost);
  cudaMemcpyFromArray(read, array, 4 * sizeof(float), 1, sizeof read, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g %g\n", back[9], back[10], back[20], back[21], read[10]);
  cudaError_t error = cudaMemcpyToArray(array, 0, 3, texels, sizeof texels, cudaMemcpyHostToDevice);
  printf("beyond the end: %s\n", cudaGetErrorName(error));
  cudaGetLastError();

  int *value, host = first;
  cudaMalloc(&value, sizeof(int));
  cudaMemcpy(value, &host, sizeof(int), cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamAttrValue hint = {};
  hint.accessPolicyWindow.num_bytes = sizeof(int);
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &hint);
  cudaGraph_t graph, clone;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add_one<<<1, 1, 0, stream>>>(value);
  add_one<<<1, 1, 0, stream>>>(value);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphClone(&clone, graph);
  cudaGraphDestroy(graph);
  size_t nodes = 0;
  cudaGraphGetNodes(clone, nullptr, &nodes);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, clone, nullptr, nullptr, 0);
  cudaGraphUpload(executable, stream);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&host, value, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%zu nodes, %d\n", nodes, host - first);

  count<<<1, 1>>>(value);
  cudaMemcpy(&host, value, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", host - first);

  Pair pairs[3] = {{1, 2}, {3, 4}, {5, first}}, *from, *to;
  cudaMalloc(&from, sizeof pairs);
  cudaMalloc(&to, sizeof pairs);
  cudaMemcpy(from, pairs, sizeof pairs, cudaMemcpyHostToDevice);
  copy<Pair><<<1, 4>>>(to, from, 3);
  cudaCheckErrors("copy");
  cudaTell("copied");
  pairs[2].y = 0;
  cudaMemcpy(pairs, to, sizeof pairs, cudaMemcpyDeviceToHost);
  printf("%d\n", pairs[2].y - first);

  int can = 1;
  cudaDeviceCanAccessPeer(&can, 0, 0);
  printf("%d %s ", can, cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
  printf("%s ", cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
  printf("%s\n", cudaGetErrorName(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1)));
  cudaGetLastError();
  half small = __float2half(0.5f);
  printf("%g\n", __half2float(small));
  return 0;
}
