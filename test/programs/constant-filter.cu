// A filter with its weights in constant memory, and a count in a variable of the device.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define RADIUS 3
#define CHECK(call)                                                                   \
  do {                                                                                \
    cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__constant__ float weights[2 * RADIUS + 1];
__device__ int edges;
static __device__ float bias = 0.5f;

__global__ void filter(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = bias;
  for (int k = -RADIUS; k <= RADIUS; k++) {
    if (i + k < 0 || i + k >= n)
      atomicAdd(&edges, 1);
    else
      sum += weights[k + RADIUS] * in[i + k];
  }
  out[i] = sum;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  float w[2 * RADIUS + 1] = {1, 2, 4, 8, 4, 2, 1}, back[2 * RADIUS + 1];
  float* host = new float[n];
  for (int i = 0; i < n; i++) host[i] = hash(i, seed) % 256;
  float *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemcpyToSymbol(weights, w, sizeof(w)));
  float centre = 16;
  CHECK(cudaMemcpyToSymbol(weights, &centre, sizeof(float), RADIUS * sizeof(float)));
  CHECK(cudaMemcpyFromSymbol(back, weights, sizeof(back)));
  float half_bias;
  CHECK(cudaMemcpyFromSymbol(&half_bias, bias, sizeof(float)));
  half_bias += 1;
  CHECK(cudaMemcpyToSymbol(bias, &half_bias, sizeof(float)));
  CHECK(cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice));
  filter<<<(n + 63) / 64, 64>>>(in, out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost));
  int count = -1;
  CHECK(cudaMemcpyFromSymbol(&count, edges, sizeof(int)));
  size_t bytes = 0;
  void* address = nullptr;
  CHECK(cudaGetSymbolSize(&bytes, weights));
  CHECK(cudaGetSymbolAddress(&address, edges));
  CHECK(cudaMemset(address, 0, sizeof(int)));
  int cleared = -1;
  CHECK(cudaMemcpyFromSymbol(&cleared, edges, sizeof(int)));
  double sum = 0;
  for (int i = 0; i < n; i++) sum += host[i];
  printf("sum %.1f edges %d then %d centre %g size %d\n", sum, count, cleared, back[RADIUS], (int)bytes);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  delete[] host;
  return 0;
}
