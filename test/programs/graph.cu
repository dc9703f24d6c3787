// Work of two streams, captured into a graph that runs many times.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void add(int* x, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
__global__ void join(int* x, const int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += y[i];
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), times = 10;
  unsigned seed = atoi(argv[2]);
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 100;
  int *x, *y;
  cudaMalloc(&x, n * sizeof(int));
  cudaMalloc(&y, n * sizeof(int));
  cudaMemcpy(x, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(y, 0, n * sizeof(int));

  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t forked, joined;
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCaptureStatus status;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaStreamIsCapturing(first, &status);
  cudaEventRecord(forked, first);
  cudaStreamWaitEvent(second, forked, 0);
  add<<<(n + 63) / 64, 64, 0, first>>>(x, n, 1);
  add<<<(n + 63) / 64, 64, 0, second>>>(y, n, 2);
  cudaEventRecord(joined, second);
  cudaStreamWaitEvent(first, joined, 0);
  join<<<(n + 63) / 64, 64, 0, first>>>(x, y, n);
  cudaStreamEndCapture(first, &graph);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  cudaGraphInstantiate(&executable, graph, NULL, NULL, 0);
  for (int i = 0; i < times; i++) cudaGraphLaunch(executable, first);
  cudaStreamSynchronize(first);
  cudaMemcpy(host.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += host[i];
  printf("nodes %d capturing %d sum %lld\n", (int)nodes, status == cudaStreamCaptureStatusActive, sum);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaFree(x);
  cudaFree(y);
}
