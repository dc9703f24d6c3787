// Device lambdas in host functions: given to templates of kernels, by value, with captures of every kind.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename F>
__global__ void each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

template <typename T, typename F>
__global__ void gather(T* out, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(i);
}

struct Params {
  float scale, shift;
};

__device__ float square(float x) { return x * x; }

__device__ int calls;

template <typename F>
void parallel_for(int n, F f) {
  const int block = 128;
  each<<<(n + block - 1) / block, block>>>(n, f);
  cudaDeviceSynchronize();
}

// The lambda uses the template's own parameters.
template <typename T, int N>
void polynomial(const T* x, T* y, int n, T (&factors)[N]) {
  T lowest = factors[0], highest = factors[N - 1];
  using Wide = double;
  constexpr int power{N - 1};
  parallel_for(n, [=] __device__(int i) {
    Wide value = 1;
    for (int k = 0; k < power; k++) value *= x[i];
    y[i] = T(lowest + highest * value);
  });
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));

  unsigned mixed = seed * 2654435761u;
  auto fill = [=] __device__(int i) {
    unsigned bits = (mixed ^ i) * 2246822519u;
    bits ^= bits >> 15;
    x[i] = (bits % 1024) / 256.0f - 2;
  };
  parallel_for(n, fill);

  // Captured by name and anew, a struct among them.
  Params params = {3, 0.5f};
  each<<<(n + 63) / 64, 64>>>(n, [params, x, y, half = params.scale / 2] __device__(int i) {
    y[i] = params.scale * square(x[i]) + params.shift - half;
  });
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < n; i++) sum += y[i];
  printf("affine squares: %.3f\n", sum);

  float factors[3] = {1, 2, 0.5f};
  polynomial(x, y, n, factors);
  sum = 0;
  for (int i = 0; i < n; i++) sum += y[i];
  printf("polynomial: %.3f\n", sum);

  // On both sides, with a type of its own for what comes in and goes out.
  auto clamped = [] __host__ __device__(auto value, float low) -> float { return value < low ? low : value; };
  gather<<<(n + 255) / 256, 256>>>(y, n, [=] __device__(int i) -> float { return clamped(x[i], -1.0f); });
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += y[i] != clamped(x[i], -1.0f);
  printf("clamped: %d wrong\n", wrong);

  // Several in one line, one that counts for itself, one of a loop.
  int* counts;
  cudaMallocManaged(&counts, 2 * sizeof(int));
  parallel_for(n,
               [=] __device__(int i) {
                 if (x[i] < 0) atomicAdd(&counts[0], 1);
               }),
      parallel_for(n, [=] __device__(int i) {
        if (x[i] >= 0) atomicAdd(&counts[1], 1);
      });
  printf("below and above: %d + %d\n", counts[0], counts[1]);
  for (int turn = 0, step = 3; turn < 2; turn++) {
    each<<<1, 1>>>(1, [=, hits = 0] __device__(int) mutable {
      for (int i = 0; i < n; i += step) hits += x[i] > turn;
      counts[turn] = hits;
    });
    cudaDeviceSynchronize();
    printf("above %d, every third: %d\n", turn, counts[turn]);
  }
  parallel_for(n, [] __device__(int) { atomicAdd(&calls, 1); });
  int host = 0;
  cudaMemcpyFromSymbol(&host, calls, sizeof host);
  printf("calls: %d\n", host);
  cudaFree(x);
  cudaFree(y);
  cudaFree(counts);
  return 0;
}
