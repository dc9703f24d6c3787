// Ranks of pages in double, gathered along links that lead to a page.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
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

__global__ void gather(const int* starts, const int* from, const int* out, const double* before, double* rank, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  double sum = 0;
  for (int k = starts[v]; k < starts[v + 1]; k++) sum += before[from[k]] / out[from[k]];
  rank[v] = 0.15 / n + 0.85 * sum;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  unsigned seed = atoi(argv[3]);
  std::vector<int> starts(n + 1), from, out(n);
  for (int v = 0; v < n; v++) {
    from.push_back((v + 1) % n);  // so that every page has a link
    for (unsigned k = 0; k < hash(v, seed) % 6; k++) from.push_back(hash(from.size(), seed + 1) % n);
    starts[v + 1] = (int)from.size();
  }
  for (int page : from) out[page]++;
  int *s = upload(starts), *f = upload(from), *o = upload(out);
  double *rank = upload(std::vector<double>(n, 1.0 / n)), *next = upload(std::vector<double>(n));
  for (int round = 0; round < rounds; round++) {
    gather<<<(n + 63) / 64, 64>>>(s, f, o, rank, next, n);
    std::swap(rank, next);
  }
  std::vector<double> host = download(rank, n);
  for (int v = 0; v < n; v += n / 5) printf("%.12f\n", host[v]);
  for (int* each : {s, f, o}) cudaFree(each);
  cudaFree(rank);
  cudaFree(next);
}
