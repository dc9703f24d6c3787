// A product of matrices as structs with a stride: each block multiplies views of the whole, by device functions.
#include <stdio.h>
#include <stdlib.h>

#define TILE 8

typedef struct {
  int width;
  int height;
  int stride;
  int* elements;
} Matrix;

// Numbers that the test makes too (a permuted congruential step).
unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

__device__ int get(const Matrix A, int row, int column) { return A.elements[row * A.stride + column]; }
__device__ void set(Matrix A, int row, int column, int value) { A.elements[row * A.stride + column] = value; }

// The tile that is so many tiles down and to the right.
__device__ Matrix tileOf(Matrix A, int row, int column) {
  Matrix tile;
  tile.width = TILE;
  tile.height = TILE;
  tile.stride = A.stride;
  tile.elements = &A.elements[A.stride * TILE * row + TILE * column];
  return tile;
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
  int row = threadIdx.y, column = threadIdx.x;
  Matrix own = tileOf(C, blockIdx.y, blockIdx.x);
  int value = 0;
  for (int m = 0; m < A.width / TILE; ++m) {
    Matrix left = tileOf(A, blockIdx.y, m), right = tileOf(B, m, blockIdx.x);
    __shared__ int As[TILE][TILE];
    __shared__ int Bs[TILE][TILE];
    As[row][column] = get(left, row, column);
    Bs[row][column] = get(right, row, column);
    __syncthreads();
    for (int e = 0; e < TILE; ++e) value += As[row][e] * Bs[e][column];
    __syncthreads();
  }
  set(own, row, column, value);
}

Matrix onDevice(const Matrix A) {
  Matrix d = A;
  size_t size = A.width * A.height * sizeof(int);
  cudaError_t err = cudaMalloc(&d.elements, size);
  if (err == cudaSuccess) err = cudaMemcpy(d.elements, A.elements, size, cudaMemcpyHostToDevice);
  if (err != cudaSuccess) {
    printf("%s\n", cudaGetErrorString(err));
    exit(EXIT_FAILURE);
  }
  return d;
}

Matrix filled(int height, int width, unsigned seed) {
  Matrix A = {width, height, width, (int*)malloc(width * height * sizeof(int))};
  for (int i = 0; i < width * height; i++) A.elements[i] = (int)(hash(i, seed) % 21) - 10;
  return A;
}

int main(int argc, char* argv[]) {
  int height = TILE * atoi(argv[1]), inner = TILE * atoi(argv[2]), width = TILE * atoi(argv[3]);
  unsigned seed = atoi(argv[4]);
  Matrix A = filled(height, inner, seed), B = filled(inner, width, seed + 1), C = filled(height, width, 0);
  Matrix d_A = onDevice(A), d_B = onDevice(B), d_C = onDevice(C);
  dim3 dimBlock(TILE, TILE);
  dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
  MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);
  cudaMemcpy(C.elements, d_C.elements, C.width * C.height * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < height; i += 5) {
    for (int j = 0; j < width; j += 3) printf("%d ", C.elements[i * C.stride + j]);
    printf("\n");
  }
  cudaFree(d_A.elements);
  cudaFree(d_B.elements);
  cudaFree(d_C.elements);
  free(A.elements);
  free(B.elements);
  free(C.elements);
  return 0;
}
