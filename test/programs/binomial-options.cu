// Options by a tree of prices, one a block: values go back from the last day in shared memory, with an early exercise.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

#define STEPS 200

struct Option {
  double spot, strike, years;
  bool isPut, isAmerican;
};

__global__ void price(const Option* options, double* prices, double rate, double volatility) {
  extern __shared__ double values[];
  const Option option = options[blockIdx.x];
  const double dt = option.years / STEPS, up = exp(volatility * sqrt(dt)), discount = exp(-rate * dt);
  const double chance = (exp(rate * dt) - 1 / up) / (up - 1 / up);
  auto payoff = [&](int ups, int day) {
    double share = option.spot * pow(up, 2 * ups - day);
    return fmax(option.isPut ? option.strike - share : share - option.strike, 0.0);
  };
  for (int i = threadIdx.x; i <= STEPS; i += blockDim.x) values[i] = payoff(i, STEPS);
  __syncthreads();
  for (int day = STEPS - 1; day >= 0; day--) {
    // All read what is there before any of them writes.
    double mine[(STEPS + 63) / 64];
    int count = 0;
    for (int i = threadIdx.x; i <= day; i += blockDim.x) {
      double value = discount * (chance * values[i + 1] + (1 - chance) * values[i]);
      mine[count++] = option.isAmerican ? fmax(value, payoff(i, day)) : value;
    }
    __syncthreads();
    count = 0;
    for (int i = threadIdx.x; i <= day; i += blockDim.x) values[i] = mine[count++];
    __syncthreads();
  }
  if (threadIdx.x == 0) prices[blockIdx.x] = values[0];
}

int main(int argc, char** argv) {
  const int n = atoi(argv[1]);
  const unsigned seed = atoi(argv[2]);
  Option* options;
  double* prices;
  cudaMallocManaged(&options, n * sizeof(Option));
  cudaMallocManaged(&prices, n * sizeof(double));
  for (int i = 0; i < n; i++)
    options[i] = {50.0 + hash(3 * i, seed) % 100, 50.0 + hash(3 * i + 1, seed) % 100,
                  1 + hash(3 * i + 2, seed) % 8 / 4.0, i % 2 == 1, i % 4 > 1};
  price<<<n, 64, (STEPS + 1) * sizeof(double)>>>(options, prices, 0.03, 0.25);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) printf("%.9f\n", prices[i]);
  cudaFree(options);
  cudaFree(prices);
}
