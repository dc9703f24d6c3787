// Much of what programs do in one: macros that launch, kernels of every kind of name, structs, classes, pointers to
// kernels.
#include <cstdio>
#include <cuda_fp16.h>
#include <cstdlib>
#include <string>
#include <map>
#define LAUNCH(kernel, n, ...) kernel<<<((n) + 31) / 32, 32>>>(__VA_ARGS__, n)
typedef float real;
#ifdef USE_DOUBLE
typedef double value_t;
#else
typedef float value_t;
#endif
namespace {
__global__ void hidden(int* p) { p[0] += 1; }
}  // namespace
static __global__ void local(int* p) { p[0] += 2; }
__global__ void later(real*, int);
template <class T>
__global__ void spec(T* p) {
  p[0] = 1;
}
template <>
__global__ void spec<int>(int* p) {
  p[0] += 3;
}
__global__ void halves(__half* h, float2 f, int n) {
  if (threadIdx.x < n) h[threadIdx.x] = __float2half(f.x + f.y);
}
__global__ void later(real* p, int n) {
  int i = threadIdx.x;
  if (i < n) p[i] = i;
}
__global__ void __launch_bounds__(128, 2) many(int a, unsigned char c, double d, long long e, short s, int* out) {
  *out = a + c + (int)d + (int)e + s;
}
struct Params {
  float w[3][3];
  int n;
};
__global__ void structs(const __grid_constant__ Params p, float* out) { out[0] = p.w[1][2] + p.n; }
__host__ __device__ inline int both(int x) {
#ifdef __CUDA_ARCH__
  return x + 1;
#else
  return x + 2;
#endif
}
__global__ void call_both(int* p) { *p = both(10); }
class Timer {
  cudaEvent_t a, b;

 public:
  Timer() {
    cudaEventCreate(&a);
    cudaEventCreate(&b);
  }
  ~Timer() {
    cudaEventDestroy(a);
    cudaEventDestroy(b);
  }
  void start() { cudaEventRecord(a); }
  float stop() {
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float t;
    cudaEventElapsedTime(&t, a, b);
    return t;
  }
};
std::map<std::string, int> counts;
int main(int argc, char* argv[]) {
  int* p;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  hidden<<<1, 1>>>(p);
  local<<<1, 1>>>(p);
  spec<<<1, 1>>>(p);
  spec<int><<<1, 1>>>(p);
  int h;
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  real* r;
  cudaMalloc(&r, 40 * sizeof(real));
  LAUNCH(later, 20, r);
  real hr[20];
  cudaMemcpy(hr, r, sizeof hr, cudaMemcpyDeviceToHost);
  printf("%g\n", hr[19]);
  __half* d;
  cudaMalloc(&d, 8 * sizeof(__half));
  halves<<<1, 8>>>(d, make_float2(1, 0.5f), 8);
  __half hh[8];
  cudaMemcpy(hh, d, sizeof hh, cudaMemcpyDeviceToHost);
  printf("%g\n", __half2float(hh[3]));
  many<<<1, 1>>>(1, 2, 3.5, 4, 5, p);
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  Params q = {};
  q.w[1][2] = 2.5;
  q.n = 4;
  structs<<<1, 1>>>(q, r);
  cudaMemcpy(hr, r, 4, cudaMemcpyDeviceToHost);
  printf("%g\n", hr[0]);
  call_both<<<1, 1>>>(p);
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h, both(10));
  Timer t;
  t.start();
  local<<<1, 1>>>(p);
  printf("%d\n", t.stop() >= 0);
  void (*f)(int*) = local;
  f<<<1, 1>>>(p);
  auto g = &local;
  (*g)<<<1, 1>>>(p);
  if (argc > 5)
    local<<<1, 1>>>(p);
  else
    for (int i = 0; i < 2; i++) local<<<dim3(1), dim3{1, 1, 1}>>>(p);
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  counts["x"]++;
}
