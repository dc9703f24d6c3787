// The likeliest way through hidden states: a launch for each observation, then back along what was noted.
#include <stdio.h>
#include <stdlib.h>

#define STATES 24
#define SYMBOLS 6

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__constant__ int c_emission[STATES * SYMBOLS];

__global__ void advance(const int* before, int* after, short* from, const int* transition, int symbol) {
  int state = threadIdx.x, best = -1, at = 0;
  for (int s = 0; s < STATES; s++) {
    int score = before[s] + transition[s * STATES + state];
    if (score > best) {
      best = score;
      at = s;
    }
  }
  after[state] = best + c_emission[state * SYMBOLS + symbol];
  from[state] = at;
}

int main(int argc, char** argv) {
  int length = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  int transition[STATES * STATES], emission[STATES * SYMBOLS], start[STATES], scores[STATES];
  for (int i = 0; i < STATES * STATES; i++) transition[i] = hash(i, seed) % 100;
  for (int i = 0; i < STATES * SYMBOLS; i++) emission[i] = hash(i, seed + 1) % 100;
  for (int i = 0; i < STATES; i++) start[i] = hash(i, seed + 2) % 50;

  int *d_transition, *d_scores[2];
  short *d_from, *from = (short*)malloc(length * STATES * sizeof(short));
  cudaMalloc((void**)&d_transition, sizeof(transition));
  cudaMalloc((void**)&d_scores[0], sizeof(scores));
  cudaMalloc((void**)&d_scores[1], sizeof(scores));
  cudaMalloc((void**)&d_from, length * STATES * sizeof(short));
  cudaMemcpy(d_transition, transition, sizeof(transition), cudaMemcpyHostToDevice);
  cudaMemcpy(d_scores[0], start, sizeof(start), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(c_emission, emission, sizeof(emission));
  for (int t = 0; t < length; t++)
    advance<<<1, STATES>>>(d_scores[t % 2], d_scores[(t + 1) % 2], d_from + t * STATES, d_transition,
                           hash(t, seed + 3) % SYMBOLS);
  cudaMemcpy(scores, d_scores[length % 2], sizeof(scores), cudaMemcpyDeviceToHost);
  cudaMemcpy(from, d_from, length * STATES * sizeof(short), cudaMemcpyDeviceToHost);

  int state = 0;
  for (int s = 1; s < STATES; s++)
    if (scores[s] > scores[state]) state = s;
  printf("score %d:", scores[state]);
  for (int t = length - 1; t >= 0; t--) {
    printf(" %d", state);
    state = from[t * STATES + state];
  }
  printf("\n");
  cudaFree(d_transition);
  cudaFree(d_scores[0]);
  cudaFree(d_scores[1]);
  cudaFree(d_from);
  free(from);
  return 0;
}
