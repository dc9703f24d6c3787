// Vectors of two, three and four elements: loads, fields, arithmetic of one's own, and their alignment.
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

__host__ __device__ inline int4 operator+(int4 a, int4 b) {
  return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__host__ __device__ inline float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }

struct __align__(16) Mixed {
  short2 pair;
  uchar4 colour;
  double one;
};

__global__ void add(const int4* x, int4* sums, int n4) {
  int4 sum = make_int4(0, 0, 0, 0);
  for (int i = threadIdx.x; i < n4; i += blockDim.x) sum = sum + x[i];
  sums[threadIdx.x] = sum;
}

__global__ void mix(Mixed* out, float3 base, longlong2 wide) {
  float3 scaled = base * (threadIdx.x + 1);
  out[threadIdx.x] = {make_short2(scaled.x, scaled.y), make_uchar4(1, 2, 3, 250 + threadIdx.x),
                      scaled.z + (double)wide.y};
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  std::vector<int4> host(n);
  for (int i = 0; i < n; i++)
    host[i] = make_int4(hash(i, seed) % 100, hash(i, seed + 1) % 100, hash(i, seed + 2) % 100, hash(i, seed + 3) % 100);
  int4 *x = upload(host), *sums = upload(std::vector<int4>(32));
  add<<<1, 32>>>(x, sums, n);
  int4 sum = make_int4(0, 0, 0, 0);
  for (int4 each : download(sums, 32)) sum = sum + each;
  printf("%d %d %d %d\n", sum.x, sum.y, sum.z, sum.w);
  Mixed* mixed;
  cudaMalloc(&mixed, 3 * sizeof(Mixed));
  mix<<<1, 3>>>(mixed, make_float3(1.5f, -2, 0.25f), make_longlong2(1, 1ll << 40));
  for (Mixed each : download(mixed, 3))
    printf("%d %d %d %.2f\n", each.pair.x, each.pair.y, each.colour.w, each.one - (1ll << 40));
  printf("%zu %zu %zu\n", sizeof(Mixed), alignof(int4), sizeof(float3));
  cudaFree(x);
  cudaFree(sums);
  cudaFree(mixed);
}
