// Sums of vectors as expressions that one kernel evaluates: types say what is computed, nothing is stored between.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class Self>
struct Expression {
  __host__ __device__ const Self& self() const { return static_cast<const Self&>(*this); }
};

struct View : Expression<View> {
  const int* data;
  __host__ __device__ explicit View(const int* data) : data(data) {}
  __host__ __device__ int operator[](int i) const { return data[i]; }
};

struct Constant : Expression<Constant> {
  int value;
  __host__ __device__ explicit Constant(int value) : value(value) {}
  __host__ __device__ int operator[](int) const { return value; }
};

struct Plus {
  __host__ __device__ static int of(int a, int b) { return a + b; }
};
struct Times {
  __host__ __device__ static int of(int a, int b) { return a * b; }
};
struct Shifted {
  __host__ __device__ static int of(int a, int b) { return a ^ (b << 1); }
};

template <class Operation, class Left, class Right>
struct Binary : Expression<Binary<Operation, Left, Right>> {
  Left left;
  Right right;
  __host__ __device__ Binary(const Left& left, const Right& right) : left(left), right(right) {}
  __host__ __device__ int operator[](int i) const { return Operation::of(left[i], right[i]); }
};

template <class L, class R>
Binary<Plus, L, R> operator+(const Expression<L>& left, const Expression<R>& right) {
  return {left.self(), right.self()};
}
template <class L, class R>
Binary<Times, L, R> operator*(const Expression<L>& left, const Expression<R>& right) {
  return {left.self(), right.self()};
}
template <class R>
Binary<Times, Constant, R> operator*(int left, const Expression<R>& right) {
  return {Constant(left), right.self()};
}
template <class L, class R>
Binary<Shifted, L, R> operator^(const Expression<L>& left, const Expression<R>& right) {
  return {left.self(), right.self()};
}

template <class E>
__global__ void evaluate(int* out, E expression, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expression[i];
}

class Vector {
 public:
  Vector(int n, int seed) : n(n) {
    cudaMallocManaged(&data, n * sizeof(int));
    for (int i = 0; i < n; i++) data[i] = (seed * i + 13) % 101;
  }
  ~Vector() { cudaFree(data); }
  Vector(const Vector&) = delete;
  template <class E>
  Vector& operator=(const Expression<E>& expression) {
    evaluate<<<(n + 127) / 128, 128>>>(data, expression.self(), n);
    cudaDeviceSynchronize();
    launches++;
    return *this;
  }
  operator View() const { return View(data); }
  long long checksum() const {
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += (long long)data[i] * (i % 97);
    return sum;
  }
  static int launches;

 private:
  int n, *data;
};
int Vector::launches = 0;

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  Vector a(n, 3), b(n, 5), c(n, 7), d(n, 0);
  View x = a, y = b, z = c;
  d = x + 2 * y * z;
  printf("%lld ", d.checksum());
  d = (x + y) * (y + z) ^ View(d);
  printf("%lld ", d.checksum());
  a = 3 * (x + 4 * (y + 5 * z));
  printf("%lld in %d launches\n", a.checksum(), Vector::launches);
}
