// Atomics of cuda::atomic_ref and of the system, the block and the device.
#include <cuda/atomic>

#include <cstdio>
#include <cstdlib>
#include <vector>

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

__global__ void count(int* counters, unsigned long long* wide, double* real) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd_block(&mine, 1);
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_device> whole(counters[0]);
  if (threadIdx.x == 0) whole.fetch_add(mine, cuda::memory_order_relaxed);
  atomicAdd_system(&counters[1], 2);
  atomicOr(&counters[2], 1 << (threadIdx.x % 31));
  atomicXor(&counters[3], 5);
  atomicAnd(&counters[4], ~(1 << (threadIdx.x % 16)));
  atomicSub(&counters[5], 3);
  atomicMax(wide, (unsigned long long)threadIdx.x << 33);
  atomicAdd(real, 0.25);
}

int main(int argc, char** argv) {
  int blocks = atoi(argv[1]);
  int* counters = upload(std::vector<int>{0, 0, 0, 0, -1, 0});
  unsigned long long* wide = upload(std::vector<unsigned long long>{7});
  double* real = upload(std::vector<double>{0.5});
  count<<<blocks, 64>>>(counters, wide, real);
  for (int value : download(counters, 6)) printf("%d ", value);
  printf("%llu %.2f\n", download(wide, 1)[0], download(real, 1)[0]);
  cudaFree(counters);
  cudaFree(wide);
  cudaFree(real);
}
