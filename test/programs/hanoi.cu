// Recursion in a kernel: each thread makes its move of the towers of Hanoi, found by halving.
#include <cstdio>
#include <cstdlib>

struct Move {
  int from, to;
};

// Move number `index` of those that bring `discs` from one peg to another.
__device__ Move move_of(int index, int discs, int from, int to) {
  int half = (1 << (discs - 1)) - 1, over = 3 - from - to;
  if (index == half) return {from, to};
  if (index < half) return move_of(index, discs - 1, from, over);
  return move_of(index - half - 1, discs - 1, over, to);
}

__global__ void moves(Move* out, int discs, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = move_of(i, discs, 0, 2);
}

int main(int argc, char** argv) {
  int discs = atoi(argv[1]), count = (1 << discs) - 1;
  Move* out;
  cudaMallocManaged(&out, count * sizeof(Move));
  moves<<<(count + 31) / 32, 32>>>(out, discs, count);
  cudaDeviceSynchronize();
  int sums[3] = {};
  for (int i = 0; i < count; i++) {
    sums[out[i].to] += i;
    sums[out[i].from] -= i;
  }
  printf("%d %d %d\n", sums[0], sums[1], sums[2]);
  cudaFree(out);
}
