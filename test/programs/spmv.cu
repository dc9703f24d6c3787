// A sparse matrix in CSR times a vector, a warp to a row.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Csr {
  int rows;
  const int* starts;
  const int* columns;
  const float* values;
};

__global__ void spmv(const Csr matrix, const float* x, float* y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= matrix.rows) return;
  float sum = 0;
  for (int i = matrix.starts[row] + lane; i < matrix.starts[row + 1]; i += warpSize)
    sum += matrix.values[i] * x[matrix.columns[i]];
  for (int offset = warpSize / 2; offset > 0; offset >>= 1) sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}

template <class T>
T* upload(const std::vector<T>& from) {
  T* to = nullptr;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}

int main(int argc, char** argv) {
  int rows = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int> starts(1, 0), columns;
  std::vector<float> values, x(rows), y(rows);
  for (int row = 0; row < rows; row++) {
    int count = hash(row, seed) % 50;
    for (int i = 0; i < count; i++) {
      columns.push_back(hash(columns.size(), seed + 1) % rows);
      values.push_back((int)(hash(values.size(), seed + 2) % 21) - 10);
    }
    starts.push_back(columns.size());
    x[row] = hash(row, seed + 3) % 10;
  }
  Csr matrix{rows, upload(starts), upload(columns), upload(values)};
  float* dx = upload(x);
  float* dy = upload(y);
  spmv<<<(rows * 32 + 127) / 128, 128>>>(matrix, dx, dy);
  cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int row = 0; row < rows; row++) sum += (double)y[row] * (row % 17);
  printf("entries %zu checksum %.0f\n", columns.size(), sum);
  for (const void* each : {(const void*)matrix.starts, (const void*)matrix.columns, (const void*)matrix.values,
                           (const void*)dx, (const void*)dy})
    cudaFree((void*)each);
  return 0;
}
