// Many tridiagonal systems by cyclic reduction: equations are combined with those 1, 2, 4, … away.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define N 64

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

__global__ void solve(const double* lower, const double* diagonal, const double* upper, const double* right,
                      double* x) {
  __shared__ double a[N], b[N], c[N], d[N];
  int t = threadIdx.x, at = blockIdx.x * N + t;
  a[t] = t > 0 ? lower[at] : 0;
  b[t] = diagonal[at];
  c[t] = t + 1 < N ? upper[at] : 0;
  d[t] = right[at];
  __syncthreads();
  for (int step = 1; step < N; step *= 2) {
    double na = 0, nb = b[t], nc = 0, nd = d[t];
    if (t >= step) {
      double k = a[t] / b[t - step];
      na = -k * a[t - step];
      nb -= k * c[t - step];
      nd -= k * d[t - step];
    }
    if (t + step < N) {
      double k = c[t] / b[t + step];
      nc = -k * c[t + step];
      nb -= k * a[t + step];
      nd -= k * d[t + step];
    }
    __syncthreads();
    a[t] = na;
    b[t] = nb;
    c[t] = nc;
    d[t] = nd;
    __syncthreads();
  }
  x[at] = d[t] / b[t];
}

int main(int argc, char** argv) {
  int systems = atoi(argv[1]), n = systems * N;
  unsigned seed = atoi(argv[2]);
  std::vector<double> lower(n), diagonal(n), upper(n), right(n);
  for (int i = 0; i < n; i++) {
    lower[i] = hash(i, seed) % 100 / 100.0;
    upper[i] = hash(i, seed + 1) % 100 / 100.0;
    diagonal[i] = 3;
    int t = i % N;
    right[i] = (t > 0 ? lower[i] * t : 0) + 3 * (t + 1) + (t + 1 < N ? upper[i] * (t + 2) : 0);
  }
  double *l = upload(lower), *d = upload(diagonal), *u = upload(upper), *r = upload(right), *x = upload(right);
  solve<<<systems, N>>>(l, d, u, r, x);
  std::vector<double> found = download(x, n);
  for (int i = 0; i < n; i += 11) printf("%.10f\n", found[i]);
  for (double* each : {l, d, u, r, x}) cudaFree(each);
}
