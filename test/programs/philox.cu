// Random numbers of cuRAND's Philox generator, whose words follow from key and counter: four at once, and one by one.
#include <cstdio>
#include <cstdlib>
#include <curand_kernel.h>

#define CHECK(x)                                      \
  do {                                                \
    if ((x) != cudaSuccess) {                         \
      printf("Error at %s:%d\n", __FILE__, __LINE__); \
      return EXIT_FAILURE;                            \
    }                                                 \
  } while (0)

__global__ void setup_kernel(curandStatePhilox4_32_10_t* state, unsigned long long seed) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  curand_init(seed, id, 8, &state[id]);
}

__global__ void generate_kernel(curandStatePhilox4_32_10_t* state, uint4* quads, unsigned* words, int* inside, int n) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  curandStatePhilox4_32_10_t localState = state[id];
  quads[id] = curand4(&localState);
  for (int i = 0; i < 3; i++) words[3 * id + i] = curand(&localState);
  int count = 0;
  for (int i = 0; i < n; i++) {
    float x = curand_uniform(&localState);
    float y = curand_uniform(&localState);
    if (x > 0 && x <= 1 && y > 0 && y <= 1 && x * x + y * y <= 1) count++;
  }
  atomicAdd(inside, count);
  state[id] = localState;
}

int main(int argc, char* argv[]) {
  const unsigned int threadsPerBlock = 64, blockCount = 4, totalThreads = threadsPerBlock * blockCount;
  const int n = 500;
  unsigned long long seed = strtoull(argv[1], NULL, 10);
  curandStatePhilox4_32_10_t* states;
  uint4* quads;
  unsigned* words;
  int* inside;
  CHECK(cudaMalloc((void**)&states, totalThreads * sizeof(curandStatePhilox4_32_10_t)));
  CHECK(cudaMallocManaged((void**)&quads, totalThreads * sizeof(uint4)));
  CHECK(cudaMallocManaged((void**)&words, 3 * totalThreads * sizeof(unsigned)));
  CHECK(cudaMallocManaged((void**)&inside, sizeof(int)));
  *inside = 0;
  setup_kernel<<<blockCount, threadsPerBlock>>>(states, seed);
  generate_kernel<<<blockCount, threadsPerBlock>>>(states, quads, words, inside, n);
  CHECK(cudaDeviceSynchronize());
  for (unsigned id = 0; id < totalThreads; id += 50)
    printf("%08x %08x %08x %08x then %08x %08x %08x\n", quads[id].x, quads[id].y, quads[id].z, quads[id].w,
           words[3 * id], words[3 * id + 1], words[3 * id + 2]);
  // Of 128,000 points π/4 lie inside, give or take seven standard deviations.
  double pi = 4.0 * *inside / (double(n) * totalThreads);
  printf("pi %d\n", pi > 3.1415927 - 0.032 && pi < 3.1415927 + 0.032);
  CHECK(cudaFree(states));
  CHECK(cudaFree(quads));
  CHECK(cudaFree(words));
  CHECK(cudaFree(inside));
  return EXIT_SUCCESS;
}
