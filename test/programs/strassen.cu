// A product of matrices by seven products of halves (Strassen), each level on streams of its own, down to a plain
// kernel.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void combine(int* out, const int* a, int lda, const int* b, int ldb, int sign, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = a[y * lda + x] + (b == nullptr ? 0 : sign * b[y * ldb + x]);
}

__global__ void accumulate(int* c, int ldc, const int* part, int sign, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) c[y * ldc + x] += sign * part[y * n + x];
}

__global__ void multiply(const int* a, const int* b, int* c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

struct Sum {
  int first, second, sign;  // quadrants 0 to 3; a second of -1 is none
};
constexpr Sum kLeft[7] = {{0, 3, 1}, {2, 3, 1}, {0, -1, 1}, {3, -1, 1}, {0, 1, 1}, {2, 0, -1}, {1, 3, -1}};
constexpr Sum kRight[7] = {{0, 3, 1}, {0, -1, 1}, {1, 3, -1}, {2, 0, -1}, {3, -1, 1}, {0, 1, 1}, {2, 3, 1}};
constexpr int kInto[7][4] = {{1, 0, 0, 1},  {0, 0, 1, -1}, {0, 1, 0, 1}, {1, 0, 1, 0},
                             {-1, 1, 0, 0}, {0, 0, 0, 1},  {1, 0, 0, 0}};

int products = 0;

void strassen(const int* a, const int* b, int* c, int n, cudaStream_t stream) {
  const dim3 block(8, 8), grid((n + 7) / 8, (n + 7) / 8);
  if (n <= 16) {
    multiply<<<grid, block, 0, stream>>>(a, b, c, n);
    products++;
    return;
  }
  const int half = n / 2;
  const dim3 part((half + 7) / 8, (half + 7) / 8);
  auto quadrant = [=](auto* m, int q) { return m + q / 2 * half * n + q % 2 * half; };
  cudaMemsetAsync(c, 0, n * n * sizeof(int), stream);
  cudaEvent_t ready;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventRecord(ready, stream);
  for (int p = 0; p < 7; p++) {
    cudaStream_t own;
    cudaEvent_t done;
    int *left, *right, *product;
    const size_t bytes = half * half * sizeof(int);
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaStreamWaitEvent(own, ready, 0);
    cudaMallocAsync(&left, bytes, own);
    cudaMallocAsync(&right, bytes, own);
    cudaMallocAsync(&product, bytes, own);
    auto add = [&](int* out, const int* m, const Sum& sum) {
      combine<<<part, block, 0, own>>>(out, quadrant(m, sum.first), n,
                                       sum.second < 0 ? nullptr : quadrant(m, sum.second), n, sum.sign, half);
    };
    add(left, a, kLeft[p]);
    add(right, b, kRight[p]);
    strassen(left, right, product, half, own);
    cudaEventRecord(done, own);
    cudaStreamWaitEvent(stream, done, 0);
    for (int q = 0; q < 4; q++)
      if (kInto[p][q] != 0) accumulate<<<part, block, 0, stream>>>(quadrant(c, q), n, product, kInto[p][q], half);
    cudaFreeAsync(left, stream);
    cudaFreeAsync(right, stream);
    cudaFreeAsync(product, stream);
    cudaEventDestroy(done);
    cudaStreamDestroy(own);
  }
  cudaEventDestroy(ready);
}

int main(int argc, char** argv) {
  const int n = atoi(argv[1]);
  const unsigned seed = atoi(argv[2]);
  std::vector<int> host(n * n);
  int *a, *b, *c;
  for (int** each : {&a, &b, &c}) cudaMalloc(each, n * n * sizeof(int));
  for (int i = 0; i < n * n; i++) host[i] = int(hash(i, seed) % 21) - 10;
  cudaMemcpy(a, host.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
  for (int i = 0; i < n * n; i++) host[i] = int(hash(i, seed + 1) % 21) - 10;
  cudaMemcpy(b, host.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  strassen(a, b, c, n, stream);
  cudaError_t error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  cudaMemcpy(host.data(), c, n * n * sizeof(int), cudaMemcpyDeviceToHost);
  long long checksum = 0;
  for (int i = 0; i < n * n; i++) checksum += (long long)host[i] * (i % 97);
  printf("%d products checksum %lld\n", products, checksum);
  cudaStreamDestroy(stream);
  for (int* each : {a, b, c}) cudaFree(each);
}
