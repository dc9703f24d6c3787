// A fast Fourier transform of 256 numbers in one block, forth and back.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define N 256

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

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

__global__ void transform(double2* data, double sign) {
  __shared__ double2 part[N];
  int t = threadIdx.x;
  for (int i = t; i < N; i += N / 2) part[__brev(i) >> 24] = data[blockIdx.x * N + i];
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    int k = t % half, low = 2 * t - k;
    double s, c;
    sincospi(sign * k / half, &s, &c);
    double2 a = part[low], b = part[low + half];
    double2 turned = make_double2(b.x * c - b.y * s, b.x * s + b.y * c);
    part[low] = make_double2(a.x + turned.x, a.y + turned.y);
    part[low + half] = make_double2(a.x - turned.x, a.y - turned.y);
  }
  __syncthreads();
  for (int i = t; i < N; i += N / 2) data[blockIdx.x * N + i] = part[i];
}

int main(int argc, char** argv) {
  int batch = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<double2> x(batch * N);
  for (int i = 0; i < batch * N; i++) x[i] = make_double2(hash(i, seed) % 100, hash(i, seed + 1) % 100);
  double2* data = upload(x);
  transform<<<batch, N / 2>>>(data, -1);
  std::vector<double2> y = download(data, batch * N);
  for (int i = 3; i < batch * N; i += 150) printf("%.9f %.9f\n", y[i].x, y[i].y);
  transform<<<batch, N / 2>>>(data, 1);
  y = download(data, batch * N);
  double apart = 0;
  for (int i = 0; i < batch * N; i++) apart = fmax(apart, fabs(y[i].x / N - x[i].x) + fabs(y[i].y / N - x[i].y));
  printf("%d\n", apart < 1e-11);
  cudaFree(data);
}
