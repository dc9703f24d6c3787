// A filter that smooths but keeps edges: weights of distance in a table, of difference by exp.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define RADIUS 2

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

__constant__ double near_by[2 * RADIUS + 1];

__global__ void bilateral(const double* x, double* y, int width, int height, double spread) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  double here = x[py * width + px], sum = 0, weights = 0;
  for (int dy = -RADIUS; dy <= RADIUS; dy++)
    for (int dx = -RADIUS; dx <= RADIUS; dx++) {
      if (px + dx < 0 || px + dx >= width || py + dy < 0 || py + dy >= height) continue;
      double there = x[(py + dy) * width + px + dx];
      double apart = (there - here) / spread;
      double weight = near_by[dx + RADIUS] * near_by[dy + RADIUS] * exp(-apart * apart / 2);
      sum += weight * there;
      weights += weight;
    }
  y[py * width + px] = sum / weights;
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  double table[2 * RADIUS + 1];
  for (int k = -RADIUS; k <= RADIUS; k++) table[k + RADIUS] = exp(-k * k / 4.5);
  cudaMemcpyToSymbol(near_by, table, sizeof(table));
  std::vector<double> host(width * height);
  for (int i = 0; i < width * height; i++) host[i] = (i % width < width / 2 ? 50 : 150) + hash(i, seed) % 20;
  double *x = upload(host), *y = upload(host);
  bilateral<<<dim3((width + 7) / 8, (height + 7) / 8), dim3(8, 8)>>>(x, y, width, height, 30);
  host = download(y, width * height);
  for (int i = 0; i < width * height; i += 41) printf("%.10f\n", host[i]);
  cudaFree(x);
  cudaFree(y);
}
