// What is kept of elements: those that a test holds for, those a stencil chooses, all but some, one of equals, and both
// parts of a partition.
#include <cstdio>
#include <cstdlib>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/sequence.h>
#include <thrust/unique.h>

struct divisible {
  int by;
  __host__ __device__ bool operator()(int x) const { return x % by == 0; }
};

template <typename Iterator>
void print(const char* name, Iterator first, Iterator last) {
  thrust::host_vector<int> h(first, last);
  long long sum = 0;
  for (size_t i = 0; i < h.size(); i++) sum += h[i] * (long long)(i % 97);
  printf("%s %d: %lld\n", name, (int)h.size(), sum);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::host_vector<int> h(n);
  for (int i = 0; i < n; i++) h[i] = (i * 7919 + seed) % 1000;
  thrust::device_vector<int> x = h, y(n), z(n);
  print("thirds", y.begin(), thrust::copy_if(x.begin(), x.end(), y.begin(), divisible{3}));
  thrust::sequence(z.begin(), z.end(), seed);
  print("by stencil", y.begin(), thrust::copy_if(x.begin(), x.end(), z.begin(), y.begin(), divisible{4}));

  thrust::device_vector<int> rest = x;
  rest.erase(thrust::remove_if(rest.begin(), rest.end(), divisible{2}), rest.end());
  print("odd", rest.begin(), rest.end());
  rest.erase(thrust::remove(rest.begin(), rest.end(), 501), rest.end());
  print("but one", rest.begin(), rest.end());

  thrust::transform(x.begin(), x.end(), y.begin(), [] __device__(int v) { return v / 300; });
  y.erase(thrust::unique(y.begin(), y.end()), y.end());
  print("runs", y.begin(), y.end());

  thrust::device_vector<int> parts = x;
  auto middle = thrust::stable_partition(parts.begin(), parts.end(), divisible{5});
  print("fifths", parts.begin(), middle);
  print("others", middle, parts.end());

  thrust::replace_if(x.begin(), x.end(), divisible{10}, -1);
  thrust::replace(x.begin(), x.end(), 7, 70);
  print("replaced", x.begin(), x.end());
  printf("%d replaced\n", (int)thrust::count(x.begin(), x.end(), -1));
  // On the host, by the same names.
  auto end = thrust::remove_if(h.begin(), h.end(), divisible{2});
  print("on the host", h.begin(), end);
  return 0;
}
