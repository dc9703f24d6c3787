// Particles that fall, bounce and turn, by the vector arithmetic of "helper_math.h"; all in eighths, so it is exact.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "helper_cuda.h"
#include "helper_math.h"

// Numbers that the test makes too (a permuted congruential step).
unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct SimParams {
  float3 gravity;
  float3 boxMin, boxMax;
  float timeStep;
};
__constant__ SimParams params;

__global__ void integrate(float4* pos, float4* vel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 p = make_float3(pos[i]), v = make_float3(vel[i]);
  v += params.gravity * params.timeStep;
  p += v * params.timeStep;
  if (p.x < params.boxMin.x || p.x > params.boxMax.x) v = reflect(v, make_float3(1.0f, 0.0f, 0.0f));
  if (p.y < params.boxMin.y || p.y > params.boxMax.y) v = reflect(v, make_float3(0.0f, -1.0f, 0.0f));
  if (p.z < params.boxMin.z || p.z > params.boxMax.z) v = -reflect(-v, make_float3(0.0f, 0.0f, 1.0f));
  p = clamp(p, params.boxMin, params.boxMax);
  pos[i] = make_float4(p, pos[i].w);
  vel[i] = make_float4(v);
}

__global__ void cells(const float4* pos, int3* cell, float* spin, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 middle = lerp(params.boxMin, params.boxMax, 0.5f), off = make_float3(pos[i]) - middle;
  cell[i] = clamp(make_int3(floorf(make_float3(pos[i]) / 4.0f)), 0, 3) + make_int3(1, 10, 100);
  spin[i] = dot(cross(off, make_float3(pos[i].w)), fabs(off)) + dot(fracf(off), make_float3(8.0f));
}

int main(int argc, char** argv) {
  const int n = atoi(argv[1]), steps = atoi(argv[2]);
  const unsigned seed = atoi(argv[3]);
  SimParams host = {make_float3(0.0f, -1.0f, 0.0f), make_float3(0.0f), make_float3(16.0f), 0.5f};
  checkCudaErrors(cudaMemcpyToSymbol(params, &host, sizeof(SimParams)));
  float4 *pos, *vel;
  int3* cell;
  float* spin;
  checkCudaErrors(cudaMallocManaged(&pos, n * sizeof(float4)));
  checkCudaErrors(cudaMallocManaged(&vel, n * sizeof(float4)));
  checkCudaErrors(cudaMallocManaged(&cell, n * sizeof(int3)));
  checkCudaErrors(cudaMallocManaged(&spin, n * sizeof(float)));
  for (int i = 0; i < n; i++) {
    pos[i] =
        make_float4(make_int4(hash(4 * i, seed) % 17, hash(4 * i + 1, seed) % 17, hash(4 * i + 2, seed) % 17, i % 5));
    float3 v = make_float3(make_int3(hash(4 * i + 3, seed) % 9, i % 9, i * i % 9));
    vel[i] = make_float4((v - 4.0f) * 0.5f, 0.0f);
  }
  for (int step = 0; step < steps; step++) integrate<<<(n + 63) / 64, 64>>>(pos, vel, n);
  cells<<<(n + 63) / 64, 64>>>(pos, cell, spin, n);
  getLastCudaError("kernels failed");
  checkCudaErrors(cudaDeviceSynchronize());
  float3 sum = make_float3(0.0f);
  int3 all = make_int3(0);
  float turns = 0;
  for (int i = 0; i < n; i++) {
    sum += make_float3(pos[i]) * (float)(i % 7);
    all += cell[i] * (i % 7);
    turns += spin[i];
  }
  printf("%.4f %.4f %.4f cells %d %d %d spin %.4f\n", sum.x, sum.y, sum.z, all.x, all.y, all.z, turns);
  for (void* each : {(void*)pos, (void*)vel, (void*)cell, (void*)spin}) checkCudaErrors(cudaFree(each));
  return 0;
}
