// Functions of the host between kernels of a stream, with their own data, and in a graph that runs twice.
#include <cstdio>
#include <cstdlib>

__global__ void scale(int* x, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

struct Sum {
  const int* values;
  int n;
  long long sums[4];
  int calls;
};

void CUDART_CB add_up(void* data) {
  Sum* sum = static_cast<Sum*>(data);
  long long total = 0;
  for (int i = 0; i < sum->n; i++) total += sum->values[i];
  sum->sums[sum->calls++] = total;
}

void CUDART_CB say(cudaStream_t, cudaError_t error, void* data) {
  printf("%s: %s\n", static_cast<const char*>(data), cudaGetErrorName(error));
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), *x, *host;
  cudaMallocHost(&host, n * sizeof(int));
  cudaMalloc(&x, n * sizeof(int));
  for (int i = 0; i < n; i++) host[i] = i;
  Sum sum = {host, n, {}, 0};
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(x, host, n * sizeof(int), cudaMemcpyHostToDevice, stream);
  scale<<<(n + 63) / 64, 64, 0, stream>>>(x, n, 2);
  cudaMemcpyAsync(host, x, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, add_up, &sum);
  cudaStreamAddCallback(stream, say, (void*)"first part", 0);
  cudaStreamSynchronize(stream);

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  scale<<<(n + 63) / 64, 64, 0, stream>>>(x, n, 3);
  cudaMemcpyAsync(host, x, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, add_up, &sum);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  printf("calls %d\n", sum.calls);
  for (int run = 0; run < 2; run++) cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  for (int k = 0; k < sum.calls; k++) printf("%lld\n", sum.sums[k]);
  printf("none: %s\n", cudaGetErrorName(cudaLaunchHostFunc(stream, nullptr, nullptr)));
  printf("flags: %s\n", cudaGetErrorName(cudaStreamAddCallback(stream, say, nullptr, 1)));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(x);
  cudaFreeHost(host);
}
