// Primes of 64 bits after Miller and Rabin, with products of 128 bits.
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

typedef unsigned long long u64;

__device__ u64 product(u64 a, u64 b, u64 modulus) {
  u64 high = __umul64hi(a, b), low = a * b, rest = high % modulus;
  for (int bit = 63; bit >= 0; bit--) {
    bool carries = rest >> 63;
    rest = rest << 1 | (low >> bit & 1);
    if (carries || rest >= modulus) rest -= modulus;
  }
  return rest;
}

__device__ u64 power(u64 base, u64 exponent, u64 modulus) {
  u64 result = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) result = product(result, base, modulus);
    base = product(base, base, modulus);
  }
  return result;
}

__global__ void is_prime(const u64* numbers, bool* primes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int witnesses[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  u64 x = numbers[i];
  primes[i] = x > 1;
  int twos = __ffsll(x - 1) - 1;
  for (int witness : witnesses) {
    if (x % witness == 0) {
      primes[i] = x == witness;
      return;
    }
    u64 y = power(witness, (x - 1) >> twos, x);
    if (y == 1 || y == x - 1) continue;
    bool is_found = false;
    for (int k = 1; k < twos && !is_found; k++) {
      y = product(y, y, x);
      is_found = y == x - 1;
    }
    if (!is_found) {
      primes[i] = false;
      return;
    }
  }
}

int main(int argc, char** argv) {
  std::vector<u64> numbers;
  for (int i = 1; i < argc; i++) numbers.push_back(strtoull(argv[i], nullptr, 10));
  int n = argc - 1;
  u64* x = upload(numbers);
  bool *primes, host[64];
  cudaMalloc(&primes, sizeof(host));
  is_prime<<<1, 64>>>(x, primes, n);
  cudaMemcpy(host, primes, n, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) printf("%d", host[i]);
  printf("\n");
  cudaFree(x);
  cudaFree(primes);
}
