// Conjugate gradients for the equations of a rod, with products and dots as kernels.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

#define BLOCK 64
__global__ void product(const double* x, double* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2.5 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
}

__global__ void dot(const double* x, const double* y, double* result, int n) {
  __shared__ double part[BLOCK];
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) sum += x[i] * y[i];
  part[threadIdx.x] = sum;
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) *result = part[0];
}

__global__ void axpy(double a, const double* x, double b, const double* y, double* out, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = a * x[i] + b * y[i];
}

struct Dot {
  double* there;
  int n;
  double operator()(const double* x, const double* y) {
    dot<<<1, BLOCK>>>(x, y, there, n);
    return download(there, 1)[0];
  }
};

int main(int argc, char** argv) {
  int n = atoi(argv[1]), blocks = (n + BLOCK - 1) / BLOCK;
  std::vector<double> right(n);
  // The solution is 1, 2, 3, …
  for (int i = 0; i < n; i++) right[i] = 2.5 * (i + 1) - i - (i + 1 < n ? i + 2 : 0);
  double *r = upload(right), *p = upload(right), *x = upload(std::vector<double>(n)), *ap;
  cudaMalloc(&ap, n * sizeof(double));
  Dot dot_of{upload(std::vector<double>(1)), n};
  double rr = dot_of(r, r);
  int rounds = 0;
  for (; rr > 1e-20 && rounds < 2 * n; rounds++) {
    product<<<blocks, BLOCK>>>(p, ap, n);
    double alpha = rr / dot_of(p, ap);
    axpy<<<blocks, BLOCK>>>(1, x, alpha, p, x, n);
    axpy<<<blocks, BLOCK>>>(1, r, -alpha, ap, r, n);
    double next = dot_of(r, r);
    axpy<<<blocks, BLOCK>>>(1, r, next / rr, p, p, n);
    rr = next;
  }
  if (rounds == 2 * n) return 1;
  for (double value : download(x, n)) printf("%.9f\n", value);
  for (double* each : {r, p, x, ap, dot_of.there}) cudaFree(each);
}
