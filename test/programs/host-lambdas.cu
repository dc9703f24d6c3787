// Lambdas of the host around launches: one that runs a round, one that tells, those that compute.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void step(int* x, int n, int factor, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (factor * x[i] + shift) % 10007;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]), seed = atoi(argv[2]);
  const int block = 96;
  std::vector<int> host(n);
  for (int i = 0; i < n; i++) host[i] = (i * 31 + seed) % 1000;
  int* x;
  cudaMalloc(&x, n * sizeof(int));
  cudaMemcpy(x, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);

  auto blocks = [block](int count) { return (count + block - 1) / block; };
  auto round = [&](int factor, int shift) { step<<<blocks(n), block>>>(x, n, factor, shift); };
  auto checksum = [&]() -> long long {
    cudaMemcpy(host.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += (long long)host[i] * (i % 97);
    return sum;
  };
  int told = 0;
  auto tell = [&](const char* when) {
    long long sum = checksum();
    told++;
    if (sum < 0) {
      printf("wrong\n");
      return;
    }
    printf("%s: %lld\n", when, sum);
  };

  tell("before");
  for (int turn = 0; turn < 3; turn++) round(turn + 2, seed);
  tell("three rounds");
  auto mean = [&] { return (double)checksum() / n; };
  auto larger = [](float a, float b) {
    if (a > b) return a;
    return b;
  };
  printf("mean %.3f, larger %.2f, told %d times, %d blocks\n", mean(), larger(0.25f, 1.75f), told, blocks(n));
  cudaFree(x);
}
