// CUB for the whole device: sums, extremes and their places, scans, histograms, what is selected, and runs; each asks
// for its temporary storage first.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>

#define CHECK(call)                                                 \
  do {                                                              \
    cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                     \
      printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                      \
    }                                                               \
  } while (0)

struct CustomMin {
  template <typename T>
  __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return (b < a) ? b : a;
  }
};
struct LessThan {
  int compare;
  __host__ __device__ __forceinline__ LessThan(int compare) : compare(compare) {}
  __host__ __device__ __forceinline__ bool operator()(const int& a) const { return a < compare; }
};

// A block's sum, beside what the whole device does.
__global__ void first_block(const int* in, int* out) {
  typedef cub::BlockReduce<int, 128> BlockReduce;
  __shared__ typename BlockReduce::TempStorage storage;
  int sum = BlockReduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = sum;
}

template <typename F>
void in_two_calls(F call) {
  void* storage = nullptr;
  size_t bytes = 0;
  CHECK(call(storage, bytes));
  CHECK(cudaMalloc(&storage, bytes));
  CHECK(call(storage, bytes));
  CHECK(cudaFree(storage));
}

void print(const char* name, const int* device, int n) {
  std::vector<int> h(n);
  CHECK(cudaMemcpy(h.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  long long sum = 0;
  for (int i = 0; i < n; i++) sum += h[i] * (long long)(i % 97);
  printf("%s %d: %lld\n", name, n, sum);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  std::vector<int> h(n);
  for (int i = 0; i < n; i++) h[i] = (i * 7919 + seed) % 200 / 4;
  int *in, *out, *counts, *d_number;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  CHECK(cudaMalloc(&counts, n * sizeof(int)));
  CHECK(cudaMalloc(&d_number, sizeof(int)));
  CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int number;
  auto told = [&] {
    CHECK(cudaMemcpy(&number, d_number, sizeof(int), cudaMemcpyDeviceToHost));
    return number;
  };

  in_two_calls([&](void* s, size_t& b) { return cub::DeviceReduce::Sum(s, b, in, d_number, n); });
  printf("sum %d\n", told());
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceReduce::Max(s, b, in, d_number, n); });
  printf("max %d\n", told());
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceReduce::Reduce(s, b, in, d_number, n, CustomMin(), 1000); });
  printf("min %d\n", told());
  cub::KeyValuePair<int, int>*d_arg, arg;
  CHECK(cudaMalloc(&d_arg, sizeof arg));
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceReduce::ArgMax(s, b, in, d_arg, n); });
  CHECK(cudaMemcpy(&arg, d_arg, sizeof arg, cudaMemcpyDeviceToHost));
  printf("most %d at %d\n", arg.value, arg.key);
  first_block<<<1, 128>>>(in, d_number);
  printf("block %d\n", told());

  in_two_calls([&](void* s, size_t& b) { return cub::DeviceScan::InclusiveSum(s, b, in, out, n); });
  print("inclusive", out, n);
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceScan::ExclusiveSum(s, b, in, out, n); });
  print("exclusive", out, n);
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceScan::ExclusiveScan(s, b, in, out, cub::Max(), -1, n); });
  print("highest before", out, n);

  in_two_calls([&](void* s, size_t& b) { return cub::DeviceHistogram::HistogramEven(s, b, in, counts, 7, 0, 42, n); });
  print("bins", counts, 6);
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceSelect::If(s, b, in, out, d_number, n, LessThan(9)); });
  print("below 9", out, told());
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceSelect::Flagged(s, b, in, in, out, d_number, n); });
  print("flagged", out, told());
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceSelect::Unique(s, b, in, out, d_number, n); });
  print("unique", out, told());
  in_two_calls([&](void* s, size_t& b) { return cub::DeviceRadixSort::SortKeys(s, b, in, out, n); });
  CHECK(cudaMemcpy(in, out, n * sizeof(int), cudaMemcpyDeviceToDevice));
  in_two_calls(
      [&](void* s, size_t& b) { return cub::DeviceRunLengthEncode::Encode(s, b, in, out, counts, d_number, n); });
  print("values", out, told());
  print("lengths", counts, number);

  size_t bytes = 0;
  CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, in, out, n));
  printf("too little: %s\n", cudaGetErrorName(cub::DeviceScan::InclusiveSum(d_number, bytes = 0, in, out, n)));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(counts));
  CHECK(cudaFree(d_number));
  CHECK(cudaFree(d_arg));
  return 0;
}
