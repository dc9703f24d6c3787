// Memory full of random numbers by cuRAND's host interface: of the device and of the host, in several calls, from the
// middle on; and π by darts.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <curand.h>

#define CHECK(call)                                                   \
  do {                                                                \
    curandStatus_t status = (call);                                   \
    if (status != CURAND_STATUS_SUCCESS) {                            \
      fprintf(stderr, "line %d: status %d\n", __LINE__, int(status)); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

__global__ void count(const float* darts, int n, unsigned* inside) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = darts[2 * i], y = darts[2 * i + 1];
  if (x * x + y * y <= 1) atomicAdd(inside, 1u);
}

template <class T>
std::vector<T> of(const T* device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}
template <class T>
void print(const char* name, const std::vector<T>& values) {
  printf("%s", name);
  for (T value : values) printf(" %.7f", double(value));
  printf("\n");
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned long long seed = strtoull(argv[2], nullptr, 10);
  void* memory;
  cudaMalloc(&memory, (n + 8) * sizeof(double));
  auto* floats = (float*)memory;
  auto* doubles = (double*)memory;
  auto* words = (unsigned*)memory;

  curandGenerator_t generator;
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, seed));
  CHECK(curandGenerate(generator, words, 3));
  CHECK(curandGenerate(generator, words + 3, 6));
  print("words", of(words, 9));
  CHECK(curandGenerateUniformDouble(generator, doubles, 3));  // from word 10 on
  print("doubles", of(doubles, 3));
  CHECK(curandSetGeneratorOffset(generator, 2));
  CHECK(curandGenerateUniform(generator, floats, 5));
  print("uniform", of(floats, 5));
  CHECK(curandSetGeneratorOffset(generator, 0));
  CHECK(curandGenerateNormal(generator, floats, 6, 10, 2));
  print("normal", of(floats, 6));
  CHECK(curandSetGeneratorOffset(generator, 0));
  CHECK(curandGenerateNormalDouble(generator, doubles, 4, -1, 0.5));
  print("normal", of(doubles, 4));
  CHECK(curandSetGeneratorOffset(generator, 0));
  CHECK(curandGenerateLogNormal(generator, floats, 4, 0, 0.25f));
  print("log-normal", of(floats, 4));
  printf("status %d\n", int(curandGenerateNormal(generator, floats, 3, 0, 1)));

  // The host's has the same numbers.
  curandGenerator_t own;
  CHECK(curandCreateGeneratorHost(&own, CURAND_RNG_PSEUDO_DEFAULT));
  CHECK(curandSetPseudoRandomGeneratorSeed(own, seed));
  std::vector<float> here(n);
  CHECK(curandGenerateUniform(own, here.data(), n));
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, seed));
  CHECK(curandGenerateUniform(generator, floats, n));
  printf("the same %d\n", here == of(floats, n));

  unsigned *inside, hits = 0;
  cudaMalloc(&inside, sizeof(unsigned));
  cudaMemset(inside, 0, sizeof(unsigned));
  count<<<(n / 2 + 255) / 256, 256>>>(floats, n / 2, inside);
  cudaMemcpy(&hits, inside, sizeof(unsigned), cudaMemcpyDeviceToHost);
  printf("inside %u\n", hits);
  curandGenerator_t quasi;
  printf("quasi %d\n", int(curandCreateGenerator(&quasi, CURAND_RNG_QUASI_SOBOL32)));
  CHECK(curandDestroyGenerator(generator));
  CHECK(curandDestroyGenerator(own));
  cudaFree(memory);
  cudaFree(inside);
}
