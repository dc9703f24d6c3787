// A graph built node by node: copies, fills, kernels, a child graph and a function of the host, with edges between
// them.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define checkCudaErrors(call)                                                                \
  do {                                                                                       \
    cudaError_t error = (call);                                                              \
    if (error != cudaSuccess) {                                                              \
      fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error)); \
      exit(EXIT_FAILURE);                                                                    \
    }                                                                                        \
  } while (0)

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void reduce(const int* in, long long* out, int n) {
  long long own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += in[i];
  atomicAdd((unsigned long long*)out, (unsigned long long)own);
}

__global__ void scale(int* x, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

struct Totals {
  long long* value;
  std::vector<long long> seen;
};

void CUDART_CB note(void* data) {
  Totals* totals = (Totals*)data;
  totals->seen.push_back(*totals->value);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), by = 3;
  unsigned seed = atoi(argv[2]);
  int *host, *x;
  long long *sum, *result;
  checkCudaErrors(cudaMallocHost(&host, n * sizeof(int)));
  checkCudaErrors(cudaMallocHost(&result, sizeof(long long)));
  checkCudaErrors(cudaMalloc(&x, n * sizeof(int)));
  checkCudaErrors(cudaMalloc(&sum, sizeof(long long)));
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 1000;
  Totals totals{result, {}};

  cudaStream_t stream;
  cudaGraph_t graph, scaling;
  cudaGraphNode_t copyNode, fillNode, kernelNode, childNode, backNode, hostNode, first, second;
  checkCudaErrors(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  checkCudaErrors(cudaGraphCreate(&graph, 0));
  checkCudaErrors(cudaGraphCreate(&scaling, 0));

  // The child: scaled twice, by arguments that are copied when a node is made.
  cudaKernelNodeParams kernel = {0};
  void* scaleArguments[] = {&x, &n, &by};
  kernel.func = (void*)scale;
  kernel.gridDim = dim3((n + 127) / 128, 1, 1);
  kernel.blockDim = dim3(128, 1, 1);
  kernel.kernelParams = scaleArguments;
  kernel.extra = NULL;
  checkCudaErrors(cudaGraphAddKernelNode(&first, scaling, NULL, 0, &kernel));
  by = -1;
  checkCudaErrors(cudaGraphAddKernelNode(&second, scaling, &first, 1, &kernel));

  checkCudaErrors(
      cudaGraphAddMemcpyNode1D(&copyNode, graph, NULL, 0, x, host, n * sizeof(int), cudaMemcpyHostToDevice));
  cudaMemsetParams fill = {0};
  fill.dst = sum;
  fill.value = 0;
  fill.elementSize = sizeof(int);
  fill.width = 2;
  fill.height = 1;
  checkCudaErrors(cudaGraphAddMemsetNode(&fillNode, graph, NULL, 0, &fill));
  checkCudaErrors(cudaGraphAddChildGraphNode(&childNode, graph, &copyNode, 1, scaling));

  // The copy back is there before the kernel that it waits for.
  cudaMemcpy3DParms back = {0};
  back.srcPtr = make_cudaPitchedPtr(sum, sizeof(long long), 1, 1);
  back.dstPtr = make_cudaPitchedPtr(result, sizeof(long long), 1, 1);
  back.extent = make_cudaExtent(sizeof(long long), 1, 1);
  back.kind = cudaMemcpyDeviceToHost;
  checkCudaErrors(cudaGraphAddMemcpyNode(&backNode, graph, NULL, 0, &back));
  cudaKernelNodeParams reduction = {0};
  void* reduceArguments[] = {&x, &sum, &n};
  reduction.func = (void*)reduce;
  reduction.gridDim = dim3(4);
  reduction.blockDim = dim3(64);
  reduction.kernelParams = reduceArguments;
  checkCudaErrors(cudaGraphAddKernelNode(&kernelNode, graph, NULL, 0, &reduction));
  cudaHostNodeParams call = {0};
  call.fn = note;
  call.userData = &totals;
  checkCudaErrors(cudaGraphAddHostNode(&hostNode, graph, &backNode, 1, &call));
  cudaGraphNode_t from[] = {fillNode, childNode, kernelNode}, to[] = {kernelNode, kernelNode, backNode};
  checkCudaErrors(cudaGraphAddDependencies(graph, from, to, 3));

  size_t nodes = 0, most = 10;
  std::vector<cudaGraphNode_t> all(most);
  checkCudaErrors(cudaGraphGetNodes(graph, NULL, &nodes));
  checkCudaErrors(cudaGraphGetNodes(graph, all.data(), &most));
  cudaGraphExec_t executable;
  checkCudaErrors(cudaGraphInstantiate(&executable, graph, NULL, NULL, 0));
  checkCudaErrors(cudaGraphDestroy(scaling));
  checkCudaErrors(cudaGraphDestroy(graph));
  for (int round = 0; round < 3; round++) {
    checkCudaErrors(cudaGraphLaunch(executable, stream));
    checkCudaErrors(cudaStreamSynchronize(stream));
    host[0] += 100;
  }
  printf("nodes %d %d:", (int)nodes, (int)most);
  for (long long each : totals.seen) printf(" %lld", each);
  printf("\n");
  checkCudaErrors(cudaGraphExecDestroy(executable));
  checkCudaErrors(cudaStreamDestroy(stream));
  checkCudaErrors(cudaFree(x));
  checkCudaErrors(cudaFree(sum));
  checkCudaErrors(cudaFreeHost(host));
  checkCudaErrors(cudaFreeHost(result));
}
