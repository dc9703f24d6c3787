// A lock around two numbers that must change together, and a ticket counter that wraps.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

struct Account {
  int lock;
  int balance;
  int visits;
};

__global__ void pay(Account* account, unsigned* turns, int times) {
  for (int k = 0; k < times; k++) {
    bool is_done = false;
    while (!is_done) {
      if (atomicCAS(&account->lock, 0, 1) == 0) {
        volatile int* balance = &account->balance;
        volatile int* visits = &account->visits;
        *balance = *balance + 1 + *visits % 2;
        *visits = *visits + 1;
        __threadfence();
        atomicExch(&account->lock, 0);
        is_done = true;
      }
    }
    atomicInc(turns, 6);      // 0 … 6, then 0 again
    atomicDec(turns + 1, 9);  // 9 … 0, then 9 again
  }
}

int main(int argc, char** argv) {
  int blocks = atoi(argv[1]), times = atoi(argv[2]);
  Account* account = upload(std::vector<Account>(1));
  unsigned* turns = upload(std::vector<unsigned>(2));
  pay<<<blocks, 32>>>(account, turns, times);
  Account after = download(account, 1)[0];
  std::vector<unsigned> ended = download(turns, 2);
  printf("lock %d balance %d visits %d turns %u %u\n", after.lock, after.balance, after.visits, ended[0], ended[1]);
  cudaFree(account);
  cudaFree(turns);
}
