// A list in managed memory that the host makes, kernels walk along and change, and the host reads again.
#include <cstdio>
#include <cstdlib>
#include <new>

struct Node {
  int value;
  Node* next;
  void* operator new(size_t bytes) {
    void* there;
    if (cudaMallocManaged(&there, bytes) != cudaSuccess) throw std::bad_alloc();
    return there;
  }
  void operator delete(void* there) { cudaFree(there); }
};

__global__ void add_ranks(Node* head) {
  int rank = 0;
  for (Node* node = head; node; node = node->next, rank++)
    if (rank % blockDim.x == threadIdx.x) node->value += rank;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  Node* head = nullptr;
  for (int i = 0; i < n; i++) head = new Node{i * i, head};
  add_ranks<<<1, 32>>>(head);
  cudaDeviceSynchronize();
  long long sum = 0;
  int rank = 0;
  while (head) {
    sum += (long long)head->value * ++rank;
    Node* next = head->next;
    delete head;
    head = next;
  }
  printf("%d nodes, %lld\n", rank, sum);
}
