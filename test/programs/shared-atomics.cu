// cuda::atomic that host and device share: tickets, a lock-free list that all threads push on, and a spinning host.
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <new>

struct Node {
  int value;
  Node* next;
};

struct Shared {
  cuda::atomic<Node*, cuda::thread_scope_device> head;
  cuda::atomic<int, cuda::thread_scope_device> tickets;
  cuda::atomic<unsigned long long, cuda::thread_scope_device> sum;
  cuda::atomic<int, cuda::thread_scope_device> highest;
  cuda::atomic<int, cuda::thread_scope_system> flag;
};

__global__ void push(Shared* shared, Node* nodes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int ticket = shared->tickets.fetch_add(1, cuda::memory_order_relaxed);
  Node* node = &nodes[ticket];
  node->value = 3 * i + 1;
  node->next = shared->head.load(cuda::memory_order_relaxed);
  while (
      !shared->head.compare_exchange_weak(node->next, node, cuda::memory_order_release, cuda::memory_order_relaxed)) {}
  shared->sum += node->value;
  int highest = shared->highest.load();
  while (node->value > highest && !shared->highest.compare_exchange_strong(highest, node->value)) {}
}

__global__ void finish(Shared* shared, int value) { shared->flag.store(value, cuda::memory_order_release); }

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  Shared* shared;
  Node* nodes;
  cudaMallocManaged(&shared, sizeof(Shared));
  cudaMallocManaged(&nodes, n * sizeof(Node));
  new (shared) Shared{{nullptr}, {0}, {0ull}, {-1}, {0}};
  push<<<(n + 63) / 64, 64>>>(shared, nodes, n);
  finish<<<1, 1>>>(shared, 42);
  cudaDeviceSynchronize();
  while (shared->flag.load(cuda::memory_order_acquire) != 42) {}
  int length = 0;
  unsigned long long sum = 0;
  for (Node* node = shared->head; node != nullptr; node = node->next, length++) sum += node->value;
  printf("%d in the list, sums %llu %llu, highest %d, tickets %d\n", length, sum, shared->sum.load(),
         shared->highest.load(), shared->tickets.exchange(0));
  shared->~Shared();
  cudaFree(shared);
  cudaFree(nodes);
}
