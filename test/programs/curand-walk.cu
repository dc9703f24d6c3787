// Random walks with cuRAND's generators: states are set up by one kernel and used by the next.
#include <curand_kernel.h>

#include <cmath>
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

__global__ void set_up(curandState* states, unsigned long long seed, int* sizes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    sizes[0] = sizeof(curandStateXORWOW);
    sizes[1] = sizeof(curandStatePhilox4_32_10_t);
    sizes[2] = sizeof(curandStateMRG32k3a);
  }
  curand_init(seed, i, 0, &states[i]);
}

__global__ void walk(curandState* states, int* places, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = 0;
  curandState mine = states[i];
  for (int k = 0; k < steps; k++) place += curand_uniform(&mine) < 0.5f ? -1 : 1;
  states[i] = mine;
  places[i] = place;
}

__global__ void normals(double* means, unsigned long long seed, int count) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
  double sum = 0;
  for (int k = 0; k < count; k++) sum += curand_normal_double(&state);
  means[blockIdx.x * blockDim.x + threadIdx.x] = sum / count;
}

int main(int argc, char** argv) {
  const int n = 512, steps = 400;
  unsigned seed = atoi(argv[1]);
  curandState* states;
  cudaMalloc(&states, n * sizeof(curandState));
  int* places = upload(std::vector<int>(n));
  set_up<<<n / 128, 128>>>(states, seed, places);
  std::vector<int> sizes = download(places, 3);
  printf("alike %d\n", sizes[0] == sizeof(curandState) && sizes[1] == sizeof(curandStatePhilox4_32_10_t) &&
                           sizes[2] == sizeof(curandStateMRG32k3a));
  walk<<<n / 128, 128>>>(states, places, steps);
  double sum = 0, squares = 0;
  bool is_even = true;
  for (int place : download(places, n)) {
    is_even = is_even && place % 2 == 0;
    sum += place;
    squares += double(place) * place;
  }
  // Of 512 sums of 400 steps: the mean is off by less than 6 deviations, and so is the mean square.
  bool is_fair = fabs(sum / n) < 6 * sqrt(400.0 / n) && fabs(squares / n / steps - 1) < 6 * sqrt(2.0 / n);
  double* means = upload(std::vector<double>(n));
  normals<<<n / 128, 128>>>(means, seed, 100);
  double mean = 0;
  for (double each : download(means, n)) mean += each / n;
  printf("even %d fair %d normal %d\n", is_even, is_fair, fabs(mean) < 6 / sqrt(100.0 * n));
  cudaFree(states);
  cudaFree(places);
  cudaFree(means);
}
