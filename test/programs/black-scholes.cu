// Prices of options by the closed formula, calls and puts, in double.
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

struct Option {
  double share, strike, years;
};

__device__ double normal(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

__global__ void price(const Option* options, double2* prices, int n, double rate, double spread) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Option o = options[i];
  double root = spread * sqrt(o.years);
  double d1 = (log(o.share / o.strike) + (rate + spread * spread / 2) * o.years) / root, d2 = d1 - root;
  double paid = o.strike * exp(-rate * o.years);
  prices[i] = make_double2(o.share * normal(d1) - paid * normal(d2), paid * normal(-d2) - o.share * normal(-d1));
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<Option> host(n);
  for (int i = 0; i < n; i++)
    host[i] = {80.0 + hash(i, seed) % 40, 80.0 + hash(i, seed + 1) % 40, 0.25 + hash(i, seed + 2) % 8 / 4.0};
  Option* options = upload(host);
  double2* prices;
  cudaMalloc(&prices, n * sizeof(double2));
  price<<<(n + 127) / 128, 128>>>(options, prices, n, 0.02, 0.3);
  double apart = 0, sum = 0;
  std::vector<double2> found = download(prices, n);
  for (int i = 0; i < n; i++) {
    // A call less a put is the share less what is paid later.
    apart = fmax(apart, fabs(found[i].x - found[i].y - host[i].share + host[i].strike * exp(-0.02 * host[i].years)));
    sum += found[i].x;
  }
  printf("%.9f %d\n", sum / n, apart < 1e-11);
  cudaFree(options);
  cudaFree(prices);
}
