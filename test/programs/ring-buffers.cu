// Producer and consumer as streams: buffers of a ring are filled, worked on and emptied, with events that keep them
// apart.
#include <cstdio>
#include <cstdlib>

#define RING 3

#define CHECK(call)                                                                          \
  do {                                                                                       \
    cudaError_t status_ = call;                                                              \
    if (status_ != cudaSuccess) {                                                            \
      fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(status_)); \
      return EXIT_FAILURE;                                                                   \
    }                                                                                        \
  } while (0)

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__global__ void produce(int* buffer, int n, int round, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) buffer[i] = hash(round * n + i, seed) % 1000;
}

__global__ void consume(const int* buffer, int n, int round, long long* sums) {
  __shared__ int partial[64];
  int t = threadIdx.x, own = 0;
  for (int i = t; i < n; i += blockDim.x) own += buffer[i];
  partial[t] = own;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) sums[round] = partial[0];
}

struct Note {
  const long long* sums;
  int round;
  long long* total;
};
void CUDART_CB add(void* data) {
  Note* note = static_cast<Note*>(data);
  *note->total = *note->total * 3 % 1000003 + note->sums[note->round];
  delete note;
}

int main(int argc, char** argv) {
  const int n = atoi(argv[1]), rounds = atoi(argv[2]);
  const unsigned seed = atoi(argv[3]);
  cudaStream_t producer, consumer;
  cudaEvent_t filled[RING], emptied[RING];
  int* buffers[RING];
  long long *sums, *mapped, total = 0;
  CHECK(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
  CHECK(cudaHostAlloc((void**)&sums, rounds * sizeof(long long), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer((void**)&mapped, sums, 0));
  for (int k = 0; k < RING; k++) {
    CHECK(cudaMalloc((void**)&buffers[k], n * sizeof(int)));
    CHECK(cudaEventCreateWithFlags(&filled[k], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&emptied[k], cudaEventDisableTiming));
  }
  for (int round = 0; round < rounds; round++) {
    int k = round % RING;
    if (round >= RING) CHECK(cudaStreamWaitEvent(producer, emptied[k], 0));
    produce<<<(n + 127) / 128, 128, 0, producer>>>(buffers[k], n, round, seed);
    CHECK(cudaEventRecord(filled[k], producer));
    CHECK(cudaStreamWaitEvent(consumer, filled[k], 0));
    consume<<<1, 64, 0, consumer>>>(buffers[k], n, round, mapped);
    CHECK(cudaEventRecord(emptied[k], consumer));
    CHECK(cudaLaunchHostFunc(consumer, add, new Note{sums, round, &total}));
  }
  CHECK(cudaStreamSynchronize(consumer));
  while (cudaStreamQuery(producer) == cudaErrorNotReady) {}
  printf("last %lld total %lld\n", sums[rounds - 1], total);
  for (int k = 0; k < RING; k++) {
    CHECK(cudaFree(buffers[k]));
    CHECK(cudaEventDestroy(filled[k]));
    CHECK(cudaEventDestroy(emptied[k]));
  }
  CHECK(cudaFreeHost(sums));
  CHECK(cudaStreamDestroy(producer));
  CHECK(cudaStreamDestroy(consumer));
}
