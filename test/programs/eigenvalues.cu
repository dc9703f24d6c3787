// The eigenvalues of small symmetric matrices after Jacobi, a matrix a thread.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define N 4

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

__global__ void jacobi(double* matrices, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  double (*a)[N] = (double (*)[N])(matrices + i * N * N);
  for (int sweep = 0; sweep < 12; sweep++)
    for (int p = 0; p < N; p++)
      for (int q = p + 1; q < N; q++) {
        if (fabs(a[p][q]) < 1e-300) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = rsqrt(t * t + 1), s = t * c;
        for (int k = 0; k < N; k++) {
          double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < N; k++) {
          double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
      }
}

int main(int argc, char** argv) {
  int count = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<double> host(count * N * N);
  for (int i = 0; i < count * N * N; i++) {
    int matrix = i / (N * N), row = i / N % N, column = i % N;
    host[i] = hash(matrix * 16 + std::min(row, column) * N + std::max(row, column), seed) % 100;
  }
  double* a = upload(host);
  jacobi<<<(count + 31) / 32, 32>>>(a, count);
  std::vector<double> found = download(a, count * N * N);
  // Sums of eigenvalues, of their squares and of their cubes are what the matrix itself says.
  for (int i = 0; i < count; i++) {
    double sums[3] = {};
    for (int k = 0; k < N; k++)
      for (int power = 0; power < 3; power++) sums[power] += pow(found[i * N * N + k * (N + 1)], power + 1);
    printf("%.6f %.6f %.6f\n", sums[0], sums[1] / 100, sums[2] / 10000);
  }
  cudaFree(a);
}
