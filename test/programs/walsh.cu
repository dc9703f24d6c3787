// The fast Walsh transform, first in steps over all memory and then within shared memory; its product is a convolution.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}
template <class T>
long long checksum(const T* values, size_t n) {
  long long sum = 0;
  for (size_t i = 0; i < n; i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

#define PART 256

__global__ void wide_step(long long* x, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int low = i / stride * 2 * stride + i % stride;
  long long a = x[low], b = x[low + stride];
  x[low] = a + b;
  x[low + stride] = a - b;
}

__global__ void near_steps(long long* x) {
  __shared__ long long part[PART];
  int t = threadIdx.x;
  x += blockIdx.x * PART;
  part[t] = x[t];
  part[t + PART / 2] = x[t + PART / 2];
  for (int stride = PART / 2; stride > 0; stride /= 2) {
    __syncthreads();
    int low = t / stride * 2 * stride + t % stride;
    long long a = part[low], b = part[low + stride];
    part[low] = a + b;
    part[low + stride] = a - b;
  }
  __syncthreads();
  x[t] = part[t];
  x[t + PART / 2] = part[t + PART / 2];
}

__global__ void multiply(long long* x, const long long* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= y[i];
}

void transform(long long* x, int n) {
  for (int stride = n / 2; stride >= PART; stride /= 2) wide_step<<<n / 256, 128>>>(x, stride);
  near_steps<<<n / PART, PART / 2>>>(x);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  long long *x = managed<long long>(n), *y = managed<long long>(n);
  for (int i = 0; i < n; i++) {
    x[i] = hash(i, seed) % 16;
    y[i] = hash(i, seed + 1) % 16;
  }
  transform(x, n);
  transform(y, n);
  multiply<<<n / 128, 128>>>(x, y);
  transform(x, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) x[i] /= n;
  printf("first %lld last %lld checksum %lld\n", x[0], x[n - 1], checksum(x, n));
  cudaFree(x);
  cudaFree(y);
}
