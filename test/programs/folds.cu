// Packs of arguments in kernels: folds, if constexpr, tables made by constexpr functions, structured bindings,
// visitors.
#include <cstdio>
#include <cstdlib>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <type_traits>
#include <vector>

constexpr int kTerms = 12;

__host__ __device__ constexpr long long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

struct Table {
  long long values[kTerms];
  __host__ __device__ constexpr Table() : values() {
    for (int i = 0; i < kTerms; i++) values[i] = factorial(i);
  }
};

template <class... Numbers>
__device__ auto sum(Numbers... numbers) {
  return (numbers + ... + 0);
}

template <class First, class... Rest>
__device__ auto greatest(First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return first;
  else {
    auto others = greatest(rest...);
    return first > others ? first : others;
  }
}

template <class T>
__device__ int kindOf(T value) {
  if constexpr (std::is_pointer<T>::value)
    return 100 + kindOf(*value);
  else if constexpr (std::is_floating_point_v<T>)
    return 2;
  else if constexpr (std::is_same_v<T, bool>)
    return 3;
  else
    return 1;
}

struct MinMax {
  int least, most;
};
__device__ MinMax bounds(const int* x, int n) {
  MinMax result{x[0], x[0]};
  for (int i = 1; i < n; i++) {
    result.least = min(result.least, x[i]);
    result.most = max(result.most, x[i]);
  }
  return result;
}

template <class... Columns>
__global__ void addColumns(int* out, int n, const Columns*... columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sum(columns[i]...) * 10 + greatest(int(columns[i])...);
}

__global__ void rest(long long* out, const int* x, int n) {
  constexpr Table table;
  if (threadIdx.x < kTerms) out[threadIdx.x] = table.values[threadIdx.x];
  if (threadIdx.x == 0) {
    auto [least, most] = bounds(x, n);
    out[kTerms] = least * 1000 + most;
    out[kTerms + 1] = kindOf(&x[0]) + 1000 * kindOf(0.5f) + 10000 * kindOf(true);
    cuda::std::array<int, 4> small{4, 3, 2, 1};
    int weighted = 0;
    for (int value : small) weighted = weighted * 10 + value;
    auto [a, b] = cuda::std::make_tuple(weighted, 7LL);
    out[kTerms + 2] = a * b;
  }
}

int main(int argc, char** argv) {
  int n = std::atoi(argv[1]);
  std::vector<short> a(n);
  std::vector<int> b(n);
  std::vector<unsigned char> c(n);
  for (int i = 0; i < n; i++) {
    a[i] = -i % 50;
    b[i] = i * i % 301 - 150;
    c[i] = 3 * i % 256;
  }
  short* da;
  int *db, *out;
  unsigned char* dc;
  long long *more, host[kTerms + 3];
  cudaMalloc(&da, n * sizeof(short));
  cudaMalloc(&db, n * sizeof(int));
  cudaMalloc(&dc, n);
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&more, sizeof host);
  cudaMemcpy(da, a.data(), n * sizeof(short), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), n, cudaMemcpyHostToDevice);
  std::vector<int> sums(n);
  auto report = [&] {
    cudaMemcpy(sums.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    long long checksum = 0;
    for (int i = 0; i < n; i++) checksum += (long long)sums[i] * (i % 97);
    std::printf("%lld ", checksum);
  };
  addColumns<<<(n + 31) / 32, 32>>>(out, n, da, db, dc);
  report();
  addColumns<<<(n + 31) / 32, 32>>>(out, n, db);
  report();
  rest<<<1, 32>>>(more, db, n);
  cudaMemcpy(host, more, sizeof host, cudaMemcpyDeviceToHost);
  for (long long value : host) std::printf("%lld ", value);
  std::printf("\n");
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  cudaFree(out);
  cudaFree(more);
}
