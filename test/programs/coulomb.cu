// The potential of charges on a slice of a grid: atoms in constant memory, chunk by chunk, several points a thread.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK_SIZE 32
#define COARSEN_FACTOR 4

// Numbers that the test makes too (a permuted congruential step).
unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__constant__ double4 atoms[CHUNK_SIZE];

__global__ void cenergy(double* energygrid, dim3 grid, double gridspacing, double z, int numatoms) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * COARSEN_FACTOR, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= grid.x || j >= grid.y) return;
  double y = gridspacing * (double)j, x = gridspacing * (double)i, energy[COARSEN_FACTOR] = {0};
  for (int n = 0; n < numatoms; n++) {
    double dy = y - atoms[n].y, dz = z - atoms[n].z, dysqdzsq = dy * dy + dz * dz;
#pragma unroll
    for (int k = 0; k < COARSEN_FACTOR; k++) {
      double dx = x + k * gridspacing - atoms[n].x;
      energy[k] += atoms[n].w * rsqrt(dx * dx + dysqdzsq);
    }
  }
  for (int k = 0; k < COARSEN_FACTOR && i + k < grid.x; k++) energygrid[grid.x * j + i + k] += energy[k];
}

int main(int argc, char** argv) {
  int numatoms = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  dim3 grid(21, 10);
  double4* host = (double4*)malloc(numatoms * sizeof(double4));
  for (int n = 0; n < numatoms; n++)
    host[n] = make_double4(hash(4 * n, seed) % 100 / 10., hash(4 * n + 1, seed) % 50 / 10.,
                           1 + hash(4 * n + 2, seed) % 9, (int)(hash(4 * n + 3, seed) % 5) - 2);
  double* energy;
  size_t bytes = grid.x * grid.y * sizeof(double);
  cudaMallocManaged((void**)&energy, bytes);
  cudaMemset(energy, 0, bytes);
  dim3 block(4, 4), blocks((grid.x + 4 * COARSEN_FACTOR - 1) / (4 * COARSEN_FACTOR), (grid.y + 3) / 4);
  for (int first = 0; first < numatoms; first += CHUNK_SIZE) {
    int count = numatoms - first < CHUNK_SIZE ? numatoms - first : CHUNK_SIZE;
    cudaMemcpyToSymbol(atoms, host + first, count * sizeof(double4));
    cenergy<<<blocks, block>>>(energy, grid, 0.5, 0.25, count);
  }
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < grid.x * grid.y; i += 13) printf("%.9f\n", energy[i]);
  cudaFree(energy);
  free(host);
  return 0;
}
