// A product of numbers of many digits: a thread for each column of the sum, carries by repeated steps.
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

#define BLOCK 256

__global__ void multiply(const int* a, int m, const int* b, int n, int* out) {
  __shared__ int digits[BLOCK + 1];
  int t = threadIdx.x, sum = 0;
  for (int i = max(0, t - n + 1); i <= min(t, m - 1); i++) sum += a[i] * b[t - i];
  digits[t] = sum;
  if (t == 0) digits[BLOCK] = 0;
  int is_more = 1;
  while (is_more) {
    __syncthreads();
    int mine = digits[t], carry = t > 0 ? digits[t - 1] / 10 : 0;
    __syncthreads();
    digits[t] = mine % 10 + carry;
    is_more = __syncthreads_or(digits[t] > 9);
  }
  out[t] = digits[t];
}

int* digits_of(const char* text) {
  std::vector<int> digits;
  for (size_t i = strlen(text); i-- > 0;) digits.push_back(text[i] - '0');
  return upload(digits);
}

int main(int argc, char** argv) {
  int m = (int)strlen(argv[1]), n = (int)strlen(argv[2]);
  int *a = digits_of(argv[1]), *b = digits_of(argv[2]), *out = upload(std::vector<int>(BLOCK));
  multiply<<<1, BLOCK>>>(a, m, b, n, out);
  std::vector<int> found = download(out, BLOCK);
  int last = BLOCK - 1;
  while (last > 0 && found[last] == 0) last--;
  for (; last >= 0; last--) printf("%d", found[last]);
  printf("\n");
  for (int* each : {a, b, out}) cudaFree(each);
}
