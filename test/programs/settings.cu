// Settings in __constant__ structs without a name, a union of the device, and a managed struct, set whole and in part.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

__constant__ struct {
  int scale;
  short steps[4];
  float gain;
} settings;

static __device__ union {
  float number;
  unsigned bits;
} last;

__managed__ struct Progress {
  int calls;
  unsigned most;
} progress = {0, 7};

namespace limits {
__device__ int low = -100;
__constant__ int high = 100;
}  // namespace limits

__global__ void apply(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    last.number = settings.gain;
    progress.calls++;
  }
  if (i >= n) return;
  int value = settings.scale * x[i] + settings.steps[i % 4];
  y[i] = max(limits::low, min(value, limits::high));
  atomicMax(&progress.most, (unsigned)abs(value));
}

int main(int argc, char** argv) {
  const int n = 100;
  struct Settings {
    int scale;
    short steps[4];
    float gain;
  } host = {atoi(argv[1]), {1, -1, 2, -2}, 1.5f};
  static_assert(sizeof(Settings) == sizeof(settings), "one layout");
  int *x, *y, low = -50;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  for (int i = 0; i < n; i++) x[i] = i - 50;
  auto report = [&] {
    apply<<<4, 32>>>(x, y, n);
    cudaDeviceSynchronize();
    int sum = 0;
    for (int i = 0; i < n; i++) sum += y[i] * (i + 1);
    unsigned bits;
    cudaMemcpyFromSymbol(&bits, last, sizeof bits);
    printf("sum %d bits %08x calls %d most %u\n", sum, bits, progress.calls, progress.most);
  };
  cudaMemcpyToSymbol(settings, &host, sizeof host);
  report();
  short steps[2] = {40, -40};
  cudaMemcpyToSymbol(settings, steps, sizeof steps, offsetof(Settings, steps) + sizeof(short));
  cudaMemcpyToSymbol(limits::low, &low, sizeof low);
  progress.most = 0;
  report();
  Settings back;
  size_t bytes;
  cudaMemcpyFromSymbol(&back, settings, sizeof back);
  cudaGetSymbolSize(&bytes, limits::high);
  printf("%d %d %d %d %d %d\n", back.scale, back.steps[0], back.steps[1], back.steps[2], back.steps[3], (int)bytes);
  cudaFree(x);
  cudaFree(y);
}
