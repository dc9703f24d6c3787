// Conjugate gradients (Hestenes and Stiefel) where cuBLAS does all that is done with vectors, and its results stay on
// the device or come to the host, as its pointer mode says.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cublas_v2.h>

// A matrix with 4 on its diagonal and -1 beside it.
__global__ void apply(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double left = i > 0 ? x[i - 1] : 0, right = i < n - 1 ? x[i + 1] : 0;
  y[i] = 4 * x[i] - left - right;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  cublasHandle_t blas;
  cublasCreate(&blas);
  std::vector<double> host(n);
  double *x, *r, *p, *q, *on_device;
  for (double** each : {&x, &r, &p, &q, &on_device}) {
    cudaMalloc(each, n * sizeof(double));
    cudaMemset(*each, 0, n * sizeof(double));
  }
  for (int i = 0; i < n; i++) host[i] = i * 37 % 701 / 100.0;  // no two alike
  cublasSetVector(n, sizeof(double), host.data(), 1, r, 1);
  cublasDcopy(blas, n, r, 1, p, 1);

  double rr, before, pq, norm;
  cublasDdot(blas, n, r, 1, r, 1, &rr);
  int rounds = 0;
  for (; rounds < n && rr > 1e-20; rounds++) {
    apply<<<(n + 127) / 128, 128>>>(p, q, n);
    cublasDdot(blas, n, p, 1, q, 1, &pq);
    double step = rr / pq, back = -step;
    cublasDaxpy(blas, n, &step, p, 1, x, 1);
    cublasDaxpy(blas, n, &back, q, 1, r, 1);
    before = rr;
    cublasDdot(blas, n, r, 1, r, 1, &rr);
    double by = rr / before, one = 1;
    cublasDscal(blas, n, &by, p, 1);
    cublasDaxpy(blas, n, &one, r, 1, p, 1);
  }
  cublasDnrm2(blas, n, x, 1, &norm);
  int largest, least;
  cublasIdamax(blas, n, x, 1, &largest);
  cublasIdamin(blas, n, x, 1, &least);
  printf("%d %.9f %d %d\n", rounds < n, norm, largest, least);

  // The sum of all and the norm stay there; every second element times the sum.
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
  cublasDasum(blas, n, x, 1, on_device);
  cublasDnrm2(blas, n, x, 1, on_device + 1);
  cublasIdamax(blas, n, x, 1, (int*)(on_device + 2));
  cublasDscal(blas, n / 2, on_device, x, 2);
  double two[2], turn[] = {0.6, 0.8};
  int number;
  cudaMemcpy(two, on_device, sizeof two, cudaMemcpyDeviceToHost);
  cudaMemcpy(&number, on_device + 2, sizeof number, cudaMemcpyDeviceToHost);
  cublasGetVector(n, sizeof(double), x, 1, host.data(), 1);
  printf("%.9f %.9f %d %.9f %.9f\n", two[0], two[1], number, host[0], host[1]);

  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST);
  cublasDswap(blas, n, x, 1, p, -1);  // p has the elements from the last on
  cublasDcopy(blas, n, p, 1, q, 1);
  cublasDrot(blas, n, p, 1, q, 1, turn, turn + 1);
  std::vector<double> turned(2 * n);
  cublasGetVector(n, sizeof(double), p, 1, turned.data(), 2);
  cublasGetVector(n, sizeof(double), q, 1, turned.data() + 1, 2);
  printf("%.9f %.9f\n", turned[2 * n - 2], turned[2 * n - 1]);
  cublasDestroy(blas);
  for (double* each : {x, r, p, q, on_device}) cudaFree(each);
}
