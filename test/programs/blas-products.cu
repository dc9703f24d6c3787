// Matrix products by cuBLAS, whose matrices lie column by column: plain, transposed, in a row of many, by a list of
// pointers, with a vector, and what else it does with matrices.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                              \
  do {                                                                           \
    cublasStatus_t status = (call);                                              \
    if (status != CUBLAS_STATUS_SUCCESS) {                                       \
      fprintf(stderr, "line %d: %s\n", __LINE__, cublasGetStatusString(status)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

// Numbers that the test makes too (a permuted congruential step).
unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

// A matrix on the device, with small whole numbers.
template <class T>
struct Matrix {
  Matrix(int rows, int columns, unsigned seed) : rows(rows), columns(columns), host(rows * columns) {
    for (int i = 0; i < rows * columns; i++) host[i] = int(hash(i, seed) % 9) - 4;
    cudaMalloc(&data, host.size() * sizeof(T));
    CHECK(cublasSetMatrix(rows, columns, sizeof(T), host.data(), rows, data, rows));
  }
  ~Matrix() { cudaFree(data); }
  void print(const char* name) {
    CHECK(cublasGetMatrix(rows, columns, sizeof(T), data, rows, host.data(), rows));
    double sum = 0;
    for (int i = 0; i < rows * columns; i++) sum += double(host[i]) * (i % 97);
    printf("%s %.1f\n", name, sum);
  }
  int rows, columns;
  std::vector<T> host;
  T* data = nullptr;
};

int main(int argc, char** argv) {
  int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
  unsigned seed = atoi(argv[4]);
  cublasHandle_t handle;
  CHECK(cublasCreate(&handle));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  CHECK(cublasSetStream(handle, stream));
  {
    Matrix<float> a(m, k, seed), b(k, n, seed + 1), c(m, n, seed + 2);
    float alpha = 2, beta = -1;
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a.data, m, b.data, k, &beta, c.data, m));
    cudaStreamSynchronize(stream);
    c.print("plain");
  }
  {
    Matrix<double> a(k, m, seed + 3), b(n, k, seed + 4), c(m, n, seed + 5);
    double alpha = 0.5, beta = 0;
    CHECK(cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, m, n, k, &alpha, a.data, k, b.data, n, &beta, c.data, m));
    cudaStreamSynchronize(stream);
    c.print("transposed");
  }
  {
    // Three products in a row, of one left side each with a right side for all.
    Matrix<float> a(m, 3 * k, seed + 6), b(k, n, seed + 7), c(m, 3 * n, seed + 8);
    float alpha = 1, beta = 1;
    CHECK(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a.data, m, m * k, b.data, k, 0,
                                    &beta, c.data, m, m * n, 3));
    cudaStreamSynchronize(stream);
    c.print("in a row");
    // The same products the other way round, by pointers.
    std::vector<const float*> left, right;
    std::vector<float*> out;
    for (int i = 2; i >= 0; i--) {
      left.push_back(a.data + i * m * k);
      right.push_back(b.data);
      out.push_back(c.data + (2 - i) * m * n);
    }
    const float **lefts, **rights;
    float** outs;
    cudaMalloc(&lefts, 3 * sizeof(float*));
    cudaMalloc(&rights, 3 * sizeof(float*));
    cudaMalloc(&outs, 3 * sizeof(float*));
    cudaMemcpy(lefts, left.data(), 3 * sizeof(float*), cudaMemcpyHostToDevice);
    cudaMemcpy(rights, right.data(), 3 * sizeof(float*), cudaMemcpyHostToDevice);
    cudaMemcpy(outs, out.data(), 3 * sizeof(float*), cudaMemcpyHostToDevice);
    beta = 0;
    CHECK(
        cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, lefts, m, rights, k, &beta, outs, m, 3));
    cudaStreamSynchronize(stream);
    c.print("by a list");
    cudaFree(lefts);
    cudaFree(rights);
    cudaFree(outs);
  }
  {
    Matrix<float> a(m, n, seed + 9), x(2 * m, 1, seed + 10), y(n, 1, seed + 11);
    float alpha = 3, beta = 1;
    // y = 3 aᵀ x + y, with every second element of x, from the last one on.
    CHECK(cublasSgemv(handle, CUBLAS_OP_T, m, n, &alpha, a.data, m, x.data, -2, &beta, y.data, 1));
    CHECK(cublasSger(handle, m, n, &alpha, x.data, 1, y.data, 1, a.data, m));
    cudaStreamSynchronize(stream);
    y.print("vector");
    a.print("outer");
  }
  {
    Matrix<float> a(n, m, seed + 12), b(m, n, seed + 13), c(m, n, seed + 14), x(n, 1, seed + 15);
    float alpha = 2, beta = -3;
    CHECK(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &alpha, a.data, n, &beta, b.data, m, c.data, m));
    CHECK(cublasSdgmm(handle, CUBLAS_SIDE_RIGHT, m, n, c.data, m, x.data, 1, b.data, m));
    cudaStreamSynchronize(stream);
    c.print("combined");
    b.print("scaled");
    cublasStatus_t wrong =
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, m, &alpha, b.data, m - 1, c.data, m, &beta, a.data, m);
    printf("%s, ", cublasGetStatusString(wrong));
    printf("%s\n", cublasGetStatusString(cublasScopy(nullptr, n, a.data, 1, b.data, 1)));
  }
  CHECK(cublasDestroy(handle));
  cudaStreamDestroy(stream);
}
