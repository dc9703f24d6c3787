// Types with operators, constants, packs of arguments and specialisations, on both sides.
#include <cstdio>
#include <cstdlib>
#include <type_traits>
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

template <int Modulus>
struct Remainder {
  int value;
  static constexpr int modulus = Modulus;
  __host__ __device__ constexpr Remainder(int x = 0) : value(((x % Modulus) + Modulus) % Modulus) {}
  __host__ __device__ friend Remainder operator+(Remainder a, Remainder b) { return a.value + b.value; }
  __host__ __device__ friend Remainder operator*(Remainder a, Remainder b) {
    return int((long long)a.value * b.value % Modulus);
  }
  __host__ __device__ Remainder& operator+=(Remainder b) { return *this = *this + b; }
  __host__ __device__ bool operator==(Remainder b) const { return value == b.value; }
};

template <class T>
__host__ __device__ T power(T base, unsigned exponent) {
  T result = 1;
  for (; exponent; exponent /= 2) {
    if (exponent & 1) result = result * base;
    base = base * base;
  }
  return result;
}

template <class... Ts>
__host__ __device__ int count_of(Ts...) {
  return sizeof...(Ts);
}
template <class T, class... Ts>
__host__ __device__ auto sum_of(T first, Ts... others) {
  if constexpr (sizeof...(Ts) == 0)
    return first;
  else
    return first + sum_of(others...);
}

template <class T>
struct Name {
  static __device__ int of() { return 1; }
};
template <>
struct Name<float> {
  static __device__ int of() { return 2; }
};
template <class T>
struct Name<T*> {
  static __device__ int of() { return 10 + Name<T>::of(); }
};

using Clock = Remainder<1009>;
enum Kind : unsigned char { plus, times };
union Word {
  float real;
  unsigned bits;
};

__global__ void compute(Clock* out, Kind kind, unsigned exponent) {
  int i = threadIdx.x;
  Clock x = power(Clock(i + 2), exponent);
  if (kind == plus)
    x += Clock(-5);
  else
    x = x * Clock(3);
  out[i] = sum_of(x, Clock(1), Clock(2)) + Clock(count_of(1, 2.0, 'c'));
}

__global__ void names(int* out) {
  static_assert(std::is_same<decltype(sum_of(1, 2.0f)), float>::value, "a sum of both");
  out[0] = Name<int>::of() + 100 * Name<float**>::of();
  Word word;
  word.real = 1.5f;
  out[1] = word.bits >> 16;
}

int main() {
  Clock* out;
  int* found;
  cudaMalloc(&out, 8 * sizeof(Clock));
  cudaMalloc(&found, 2 * sizeof(int));
  for (Kind kind : {plus, times}) {
    compute<<<1, 8>>>(out, kind, 77);
    for (Clock each : download(out, 8)) printf("%d ", each.value);
    printf("\n");
  }
  names<<<1, 1>>>(found);
  std::vector<int> host = download(found, 2);
  printf("%d %d, host %d\n", host[0], host[1], power(Clock(5), 1008).value);
  cudaFree(out);
  cudaFree(found);
}
