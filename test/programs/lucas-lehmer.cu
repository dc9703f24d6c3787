// Which numbers 2^p - 1 are prime: a block squares a number of many words in shared memory, modulo 2^p - 1.
#include <cstdio>
#include <cstdlib>

template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

#define BITS 16
#define WORDS 40

// Digits of 16 bits; a thread adds up what falls on its digit, with 2^p = 1.
__global__ void test(const int* exponents, int* is_prime) {
  int p = exponents[blockIdx.x], t = threadIdx.x;
  __shared__ unsigned x[WORDS];
  __shared__ unsigned long long square[2 * WORDS];
  x[t] = t == 0 ? 4 : 0;
  __syncthreads();
  for (int step = 0; step < p - 2; step++) {
    for (int k = t; k < 2 * WORDS; k += WORDS) {
      unsigned long long sum = 0;
      for (int i = max(0, k - WORDS + 1); i <= min(k, WORDS - 1); i++) sum += (unsigned long long)x[i] * x[k - i];
      square[k] = sum;
    }
    __syncthreads();
    if (t == 0) {
      unsigned long long carry = 0;
      for (int k = 0; k < 2 * WORDS; k++) {
        carry += square[k];
        square[k] = carry & 0xffff;
        carry >>= BITS;
      }
      auto bit_word = [&](int bit) {
        unsigned long long two = square[bit / BITS];
        if (bit / BITS + 1 < 2 * WORDS) two |= square[bit / BITS + 1] << BITS;
        return two >> bit % BITS & 0xffff;
      };
      // Low p bits plus high bits minus 2; twice, since the sum may be longer by one bit.
      long long rest = -2;
      for (int k = 0; k < WORDS; k++) {
        int left = p - k * BITS;
        unsigned low = left >= BITS ? 0xffff : left > 0 ? (1u << left) - 1 : 0;
        rest += (square[k] & low) + (p + k * BITS < 2 * WORDS * BITS && left > 0 ? bit_word(p + k * BITS) : 0);
        x[k] = rest & 0xffff;
        rest >>= BITS;
      }
      bool is_negative = rest < 0;
      int top = p / BITS;
      if (is_negative) {
        // Minus one or two: p ones, less one or none.
        unsigned missing = 0x10000 - x[0];
        for (int k = 0; k < WORDS; k++) {
          int left = p - k * BITS;
          x[k] = left >= BITS ? 0xffff : left > 0 ? (1u << left) - 1 : 0;
        }
        x[0] -= missing;
      } else if (x[top] >> p % BITS) {
        unsigned over = x[top] >> p % BITS;
        x[top] &= (1u << p % BITS) - 1;
        for (int k = 0; over > 0; k++) {
          over += x[k];
          x[k] = over & 0xffff;
          over >>= BITS;
        }
      }
    }
    __syncthreads();
  }
  // Zero is written as no ones or as p ones.
  int left = p - t * BITS;
  unsigned ones = left >= BITS ? 0xffff : left > 0 ? (1u << left) - 1 : 0;
  bool is_zero = __syncthreads_and(x[t] == 0) || __syncthreads_and(x[t] == ones);
  if (t == 0) is_prime[blockIdx.x] = is_zero;
}

int main(int argc, char** argv) {
  int count = argc - 1;
  int *exponents = managed<int>(count), *is_prime = managed<int>(count);
  for (int i = 0; i < count; i++) exponents[i] = atoi(argv[i + 1]);
  test<<<count, WORDS>>>(exponents, is_prime);
  cudaDeviceSynchronize();
  for (int i = 0; i < count; i++) printf("%d:%d ", exponents[i], is_prime[i]);
  printf("\n");
  cudaFree(exponents);
  cudaFree(is_prime);
}
