// Numbers of 8 bits with scales, as floats: for products where no library has them.
#include <warpcell/numbers.cuh>

using namespace warpcell;

constexpr int kDecodeThreads = 256;

// out = x · its scale; x and out [rows, columns], a scale for each rectangle of `height` × `width` of them, row-major.
template <class T>
__global__ void __launch_bounds__(kDecodeThreads) decode(const T* x, const float* scales, float* out, long long rows,
                                                         long long columns, long long height, long long width) {
  const long long count = (columns + width - 1) / width;
#ifdef WARPCELL_SERIAL
  const long long share = (rows + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < rows ? begin + share : rows;
  for (long long row = begin; row < end; row++) {
    for (long long part = 0; part < count; part++) {
      const float scale = scales[row / height * count + part];
      const long long first = part * width, last = first + width < columns ? first + width : columns;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (long long k = first; k < last; k++) out[row * columns + k] = widen<T>(x[row * columns + k]) * scale;
    }
  }
#else
  const long long all = rows * columns;
  for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < all;
       at += (long long)gridDim.x * blockDim.x) {
    const long long row = at / columns, column = at - row * columns;
    out[at] = widen<T>(x[at]) * scales[row / height * count + column / width];
  }
#endif
}
