// Tensors as a kernel sees them: a view with shape and strides that a launch makes of any tensor, loads and stores of
// four elements, and a loop over more items than threads.
#pragma once

namespace warpcell {

// A parameter of this type takes a tensor of dtype T with N axes (1 to 16), contiguous or not: x(i, j), x.shape[0].
// `const T`: the kernel only reads it.
template <class T, int N>
struct Tensor {
  T* data;
  long long shape[N];
  long long strides[N];  // elements between neighbours along each axis

  template <class... Index>
  __device__ inline T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == N, "A warpcell::Tensor<T, N> takes N indices.");
    const long long at[N] = {(long long)index...};
    long long offset = 0;
    for (int axis = 0; axis < N; axis++) offset += at[axis] * strides[axis];
    return data[offset];
  }

  // The element with that number in row-major order.
  __device__ inline T& operator[](long long index) const {
    long long offset = 0;
    for (int axis = N - 1; axis > 0; axis--) {
      offset += index % shape[axis] * strides[axis];
      index /= shape[axis];
    }
    return data[offset + index * strides[0]];
  }

  __device__ inline long long size() const {
    long long count = 1;
    for (int axis = 0; axis < N; axis++) count *= shape[axis];
    return count;
  }
};

// Four neighbours in memory.
template <class T>
struct alignas(4 * sizeof(T)) Four {
  T element[4];
  __device__ inline T& operator[](int index) { return element[index]; }
  __device__ inline const T& operator[](int index) const { return element[index]; }
};

template <class T>
__device__ inline bool is_aligned4(const T* p) {
  return (unsigned long long)p % sizeof(Four<T>) == 0;
}

// p[0] … p[3]: with one instruction where p is a multiple of four elements (16 bytes for float), else one by one.
template <class T>
__device__ inline Four<T> load4(const T* p) {
  if (is_aligned4(p)) return *(const Four<T>*)p;
  return {{p[0], p[1], p[2], p[3]}};
}
template <class T>
__device__ inline void store4(T* p, const Four<T>& value) {
  if (is_aligned4(p))
    *(Four<T>*)p = value;
  else
    for (int index = 0; index < 4; index++) p[index] = value[index];
}

// for (long long i : warpcell::grid_stride(n)) …: every i < n once, whatever the grid and block, each thread as many
// steps apart as there are threads.
struct GridStride {
  long long first, end_, step;
  struct Position {
    long long index, step;
    __device__ inline long long operator*() const { return index; }
    __device__ inline void operator++() { index += step; }
    __device__ inline bool operator!=(const Position& last) const { return index < last.index; }
  };
  __device__ inline Position begin() const { return {first, step}; }
  __device__ inline Position end() const { return {end_, step}; }
};
__device__ inline GridStride grid_stride(long long count) {
  long long threads = (long long)blockDim.x * blockDim.y * blockDim.z;
  long long block = blockIdx.x + (long long)gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z);
  long long thread = threadIdx.x + (long long)blockDim.x * (threadIdx.y + (long long)blockDim.y * threadIdx.z);
  return {block * threads + thread, count, threads * gridDim.x * gridDim.y * gridDim.z};
}

}  // namespace warpcell
