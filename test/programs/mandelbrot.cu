// The Mandelbrot set in fixed point, with 24 bits behind the point, so that every device counts alike.
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

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

typedef long long fixed;
__device__ fixed times(fixed a, fixed b) { return (a * b) >> 24; }

__global__ void mandelbrot(int* counts, int width, int height, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const fixed one = 1 << 24;
  fixed cx = (3 * one * x) / width - 2 * one, cy = (2 * one * y) / height - one, zx = 0, zy = 0;
  int count = 0;
  while (count < most && times(zx, zx) + times(zy, zy) < 4 * one) {
    fixed next = times(zx, zx) - times(zy, zy) + cx;
    zy = 2 * times(zx, zy) + cy;
    zx = next;
    count++;
  }
  counts[y * width + x] = count;
}

int main(int argc, char** argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]), most = atoi(argv[3]), n = width * height;
  int* counts;
  cudaMalloc(&counts, n * sizeof(int));
  mandelbrot<<<dim3((width + 15) / 16, (height + 3) / 4), dim3(16, 4)>>>(counts, width, height, most);
  std::vector<int> host = download(counts, n);
  int inside = 0;
  for (int count : host) inside += count == most;
  printf("inside %d checksum %lld\n", inside, checksum(host));
  cudaFree(counts);
}
