// Lambdas within kernels: handed to device functions, with captures by value and by reference, generic and mutable.
#include <cstdio>
#include <cstdlib>

template <class F>
__device__ void stride_loop(int n, F body) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) body(i);
}

template <class T, class F>
__device__ T block_reduce(T value, F combine) {
  __shared__ T partial[32];
  for (int offset = 16; offset > 0; offset /= 2) value = combine(value, __shfl_down_sync(0xffffffff, value, offset));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < blockDim.x / 32; warp++) value = combine(value, partial[warp]);
  __syncthreads();
  return value;
}

template <class F, class G>
__device__ auto compose(F f, G g) {
  return [=](auto x) { return f(g(x)); };
}

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
template <int By>
struct Add {
  __host__ __device__ int operator()(int x) const { return x + By; }
};

template <class F>
__global__ void transform(const int* in, int* out, int n, F f) {
  auto both = compose(f, [n](int x) { return x % n; });
  stride_loop(n, [&](int i) { out[i] = both(in[i]); });
}

__global__ void summary(const int* x, int n, long long* sum, int* least) {
  long long own = 0;
  int smallest = 1 << 30;
  auto count = [calls = 0]() mutable { return ++calls; };
  int turns = 0;
  stride_loop(n, [&](int i) {
    own += x[i];
    smallest = min(smallest, x[i]);
    turns = count();
  });
  own = block_reduce(own, [](auto a, auto b) { return a + b; });
  smallest = block_reduce(smallest, [](auto a, auto b) { return a < b ? a : b; });
  int all = block_reduce(turns, [](int a, int b) { return a + b; });
  if (threadIdx.x == 0) {
    atomicAdd((unsigned long long*)sum, (unsigned long long)own);
    atomicMin(least, smallest);
    atomicAdd((unsigned long long*)&sum[1], (unsigned long long)all);
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  int *x, *y, *least;
  long long* sum;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMallocManaged(&y, n * sizeof(int));
  cudaMallocManaged(&least, sizeof(int));
  cudaMallocManaged(&sum, 2 * sizeof(long long));
  for (int i = 0; i < n; i++) x[i] = 17 * i + 5;
  auto report = [&] {
    sum[0] = sum[1] = 0;
    *least = 1 << 30;
    summary<<<2, 96>>>(y, n, sum, least);
    cudaDeviceSynchronize();
    printf("sum %lld least %d of %lld\n", sum[0], *least, sum[1]);
  };
  transform<<<3, 64>>>(x, y, n, Square());
  report();
  transform<<<3, 64>>>(x, y, n, Add<-40>{});
  report();
  cudaFree(x);
  cudaFree(y);
  cudaFree(least);
  cudaFree(sum);
}
