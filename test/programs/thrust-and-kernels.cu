// Thrust beside kernels: raw pointers of vectors, device pointers of raw memory, policies, streams, device lambdas,
// scans for offsets, and a struct that is sorted by a comparison of its own.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_scan.h>

__global__ void collatz(int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  for (long long x = i + 1; x != 1; count++) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  steps[i] = count;
}

struct Particle {
  float x;
  int cell;
};
struct by_cell {
  __host__ __device__ bool operator()(const Particle& a, const Particle& b) const { return a.cell < b.cell; }
};

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::device_vector<int> steps(n);
  collatz<<<(n + 127) / 128, 128>>>(thrust::raw_pointer_cast(steps.data()), n);
  thrust::device_vector<int> offsets(n);
  thrust::exclusive_scan(steps.begin(), steps.end(), offsets.begin());
  printf("%d steps, the last from %d\n", thrust::reduce(steps.begin(), steps.end()), (int)offsets[n - 1]);
  thrust::transform_inclusive_scan(
      steps.begin(), steps.end(), offsets.begin(), [] __host__ __device__(int s) { return s % 3; },
      thrust::plus<int>());
  printf("by three: %d\n", (int)offsets.back());

  // Memory of cudaMalloc, on a stream.
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float* raw;
  cudaMalloc(&raw, n * sizeof(float));
  thrust::device_ptr<float> x(raw);
  thrust::for_each(thrust::cuda::par.on(stream), thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n),
                   [=] __device__(int i) { raw[i] = (i * 31 + seed) % 64 * 0.25f; });
  float most = thrust::reduce(thrust::cuda::par.on(stream), raw, raw + n, 0.0f, thrust::maximum<float>());
  printf("most %.2f\n", most);
  thrust::sort(thrust::device, raw, raw + n);
  printf("first %.2f, last %.2f\n", (float)x[0], (float)x[n - 1]);
  std::vector<float> host(n);
  thrust::copy(x, x + n, host.begin());
  printf("%s\n", thrust::is_sorted(thrust::host, host.data(), host.data() + n) ? "in order" : "not in order");

  thrust::host_vector<Particle> p(n);
  for (int i = 0; i < n; i++) p[i] = Particle{float(i), (i * 7919 + seed) % 50};
  thrust::device_vector<Particle> particles = p;
  thrust::stable_sort(particles.begin(), particles.end(), by_cell());
  p = particles;
  double sum = 0;
  for (int i = 0; i < n; i++) sum += p[i].x * (i % 97) + p[i].cell;
  printf("particles %.0f\n", sum);
  bool all = thrust::all_of(particles.begin(), particles.end(), [] __device__(Particle q) { return q.cell < 50; });
  bool any = thrust::any_of(particles.begin(), particles.end(), [] __device__(Particle q) { return q.x < 0; });
  printf("all %d, any %d\n", all, any);
  cudaFree(raw);
  cudaStreamDestroy(stream);
  return 0;
}
