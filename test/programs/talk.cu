// Host and device print in turn; the program ends by exit from within a function.
#include <cstdio>
#include <cstdlib>
#include <iostream>

__global__ void say(int who, const char* unused) {
  if (threadIdx.x == 0) printf("device %d.%d\n", who, blockIdx.x);
}

struct Farewell {
  ~Farewell() { printf("farewell\n"); }
} farewell;

void leave(int code) {
  std::cerr << "leaving with " << code << std::endl;
  exit(code);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    std::cout << "host " << argv[i] << "\n";
    say<<<1, 4>>>(i, nullptr);
    cudaDeviceSynchronize();
  }
  int c = getchar();
  printf("input %s\n", c == EOF ? "none" : "some");
  leave(argc);
}
