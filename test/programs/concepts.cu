// C++20 on both sides: concepts that choose functions, abbreviated templates, comparisons by default, designated
// fields.
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

template <class T>
concept Scalar = requires(T a) {
  a + a;
  a * a;
} && sizeof(T) <= 8;

template <class Shape>
concept HasArea = requires(const Shape shape) { shape.area(); };

struct Square {
  int side;
  __host__ __device__ int area() const { return side * side; }
};
struct Wire {
  int length;
};

template <HasArea Shape>
__host__ __device__ int cost(const Shape& shape) {
  return 3 * shape.area();
}
template <class Shape>
  requires(!HasArea<Shape>)
__host__ __device__ int cost(const Shape& shape) {
  return shape.length;
}

template <Scalar T>
__host__ __device__ constexpr T cube(T x) {
  return x * x * x;
}

struct Version {
  int release, patch;
  bool operator==(const Version&) const = default;
};

struct Options {
  int scale = 1;
  int offset = 0;
  bool isNegative = false;
};

__global__ void costs(const Square* squares, const Wire* wires, int* out, int n, Options options) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto scaled = [=](auto value) { return options.scale * value + options.offset; };
  int sum = scaled(cost(squares[i])) + scaled(cost(wires[i]));
  out[i] = options.isNegative ? -sum : sum;
}

template <Scalar T>
__global__ void cubes(T* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = cube(x[i]);
}

static_assert(Scalar<int> && Scalar<double> && !Scalar<Square>);

long long total(std::span<const int> values) {
  long long sum = 0;
  for (int value : values) sum += value;
  return sum;
}

int main(int argc, char** argv) {
  const int n = std::atoi(argv[1]);
  Square* squares;
  Wire* wires;
  int* out;
  double* x;
  cudaMallocManaged(&squares, n * sizeof(Square));
  cudaMallocManaged(&wires, n * sizeof(Wire));
  cudaMallocManaged(&out, n * sizeof(int));
  cudaMallocManaged(&x, n * sizeof(double));
  for (int i = 0; i < n; i++) {
    squares[i] = {.side = i % 10};
    wires[i] = {.length = i};
    x[i] = i / 2.0;
  }
  costs<<<(n + 63) / 64, 64>>>(squares, wires, out, n, {.scale = 2, .offset = 7});
  cubes<<<1, 64>>>(x, n);
  cudaDeviceSynchronize();
  std::printf("%lld", total({out, size_t(n)}));
  costs<<<(n + 63) / 64, 64>>>(squares, wires, out, n, {.isNegative = true});
  cudaDeviceSynchronize();
  std::printf(" %lld %.3f", total(std::span(out, n)), x[n - 1]);
  const Version have{.release = 12, .patch = 4};
  std::printf(" %d %d\n", have == Version{12, 4}, have != Version{11, 8});
  for (void* each : std::vector<void*>{squares, wires, out, x}) cudaFree(each);
}
