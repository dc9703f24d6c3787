// A product of polynomials modulo a prime, by transforms in shared memory that are exact.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define N 256
#define PRIME 998244353u

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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__host__ __device__ unsigned times(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b % PRIME); }
__host__ __device__ unsigned power(unsigned base, unsigned exponent) {
  unsigned result = 1;
  for (; exponent; exponent >>= 1, base = times(base, base))
    if (exponent & 1) result = times(result, base);
  return result;
}

__device__ void transform(unsigned* part, unsigned root) {
  int t = threadIdx.x, turned = __brev(t) >> 24;
  __syncthreads();
  if (t < turned) {
    unsigned kept = part[t];
    part[t] = part[turned];
    part[turned] = kept;
  }
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    if (t < N / 2) {
      int k = t % half, low = 2 * t - k;
      unsigned a = part[low], b = times(part[low + half], power(root, N / (2 * half) * k));
      part[low] = (a + b) % PRIME;
      part[low + half] = (a + PRIME - b) % PRIME;
    }
  }
  __syncthreads();
}

__global__ void product(const unsigned* a, const unsigned* b, unsigned* c) {
  __shared__ unsigned x[N], y[N];
  int t = threadIdx.x;
  x[t] = a[t];
  y[t] = b[t];
  unsigned root = power(3, (PRIME - 1) / N);
  transform(x, root);
  transform(y, root);
  x[t] = times(x[t], y[t]);
  transform(x, power(root, PRIME - 2));
  c[t] = times(x[t], power(N, PRIME - 2));
}

int main(int argc, char** argv) {
  unsigned seed = atoi(argv[1]);
  std::vector<unsigned> a(N), b(N);
  for (int i = 0; i < N / 2; i++) {
    a[i] = hash(i, seed) % 1000;
    b[i] = hash(i, seed + 1) % 1000;
  }
  unsigned *x = upload(a), *y = upload(b), *c = upload(a);
  product<<<1, N>>>(x, y, c);
  printf("checksum %lld\n", checksum(download(c, N)));
  for (unsigned* each : {x, y, c}) cudaFree(each);
}
