// Jacobi's iteration in two dimensions, its ten steps captured once and replayed, until the largest change is small.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void jacobi(const double* u, double* next, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x > n || y > n) return;
  int stride = n + 2, i = y * stride + x;
  next[i] = (u[i - 1] + u[i + 1] + u[i - stride] + u[i + stride]) / 4;
}

__global__ void change(const double* u, const double* v, unsigned long long* most, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x > n || y > n) return;
  int i = y * (n + 2) + x;
  // Bits of doubles that are not negative are in the order of their values.
  atomicMax(most, (unsigned long long)__double_as_longlong(fabs(u[i] - v[i])));
}

int main(int argc, char** argv) {
  const int n = atoi(argv[1]), stride = n + 2, steps = 10;
  const double limit = atof(argv[2]);
  std::vector<double> host(stride * stride, 0.0);
  for (int i = 0; i < stride; i++) host[i] = 100.0 * i / (n + 1);
  for (int y = 0; y < stride; y++) host[y * stride + stride - 1] = 100;
  double *u, *v;
  unsigned long long *most, *pinned;
  const size_t bytes = host.size() * sizeof(double);
  cudaMalloc(&u, bytes);
  cudaMalloc(&v, bytes);
  cudaMalloc(&most, sizeof *most);
  cudaMallocHost(&pinned, sizeof *pinned);
  cudaMemcpy(u, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(v, host.data(), bytes, cudaMemcpyHostToDevice);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  const dim3 block(8, 8), grid((n + 7) / 8, (n + 7) / 8);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaMemsetAsync(most, 0, sizeof *most, stream);
  for (int step = 0; step < steps; step++) {
    jacobi<<<grid, block, 0, stream>>>(step % 2 ? v : u, step % 2 ? u : v, n);
    if (step == steps - 1) change<<<grid, block, 0, stream>>>(u, v, most, n);
  }
  cudaMemcpyAsync(pinned, most, sizeof *most, cudaMemcpyDeviceToHost, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&instance, graph, 0);

  int rounds = 0;
  double largest;
  do {
    cudaGraphLaunch(instance, stream);
    cudaStreamSynchronize(stream);
    memcpy(&largest, pinned, sizeof largest);
    rounds++;
  } while (largest > limit && rounds < 1000);
  cudaMemcpy(host.data(), u, bytes, cudaMemcpyDeviceToHost);
  printf("rounds %d\n", rounds);
  for (int y = 1; y <= n; y += 3) {
    for (int x = 1; x <= n; x += 3) printf("%.8f ", host[y * stride + x]);
    printf("\n");
  }
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFreeHost(pinned);
  cudaFree(u);
  cudaFree(v);
  cudaFree(most);
}
