// The discrete cosine transform of 8 × 8 blocks of a picture, rows first and then columns.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

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

__constant__ double basis[8][8];

__global__ void transform(const unsigned char* picture, double* out, int width) {
  __shared__ double in[8][8], rows[8][8];
  int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
  in[y][x] = picture[at] - 128.0;
  __syncthreads();
  double sum = 0;
  for (int k = 0; k < 8; k++) sum += in[y][k] * basis[x][k];
  rows[y][x] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; k++) sum += basis[y][k] * rows[k][x];
  out[at] = sum;
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  double table[8][8];
  for (int u = 0; u < 8; u++)
    for (int k = 0; k < 8; k++) table[u][k] = (u ? 0.5 : sqrt(0.125)) * cos((2 * k + 1) * u * acos(-1.0) / 16);
  cudaMemcpyToSymbol(basis, table, sizeof(table));
  std::vector<unsigned char> host(width * height);
  for (int i = 0; i < width * height; i++) host[i] = hash(i, seed) % 256;
  unsigned char* picture = upload(host);
  double* out;
  cudaMalloc(&out, width * height * sizeof(double));
  transform<<<dim3(width / 8, height / 8), dim3(8, 8)>>>(picture, out, width);
  std::vector<double> found = download(out, width * height);
  for (int i = 0; i < width * height; i += 37) printf("%.9f\n", found[i]);
  cudaFree(picture);
  cudaFree(out);
}
