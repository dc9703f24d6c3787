// Managed memory: a list that host and device both follow, and a managed variable.
#include <cstdio>
#include <cstdlib>
#include <new>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Node {
  int value;
  Node* next;
};

__managed__ int visits = 0;
__device__ __managed__ int limits[2] = {10, 20};

__global__ void walk(Node* first, long long* sum) {
  for (Node* node = first; node != nullptr; node = node->next) {
    *sum += node->value > limits[0] ? node->value : limits[1];
    visits++;
  }
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  Node* first = nullptr;
  for (int i = 0; i < n; i++) {
    void* memory = nullptr;
    cudaMallocManaged(&memory, sizeof(Node));
    first = new (memory) Node{(int)(hash(i, seed) % 50), first};
  }
  long long* sum;
  cudaMallocManaged(&sum, sizeof(long long));
  *sum = 0;
  limits[1] = -5;
  walk<<<1, 1>>>(first, sum);
  cudaDeviceSynchronize();
  printf("sum %lld visits %d\n", *sum, visits);
  visits += 1;
  walk<<<1, 1>>>(first, sum);
  cudaDeviceSynchronize();
  printf("sum %lld visits %d\n", *sum, visits);
  while (first) {
    Node* next = first->next;
    cudaFree(first);
    first = next;
  }
  cudaFree(sum);
  return 0;
}
