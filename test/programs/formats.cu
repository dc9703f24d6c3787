// What printf of a kernel can say, in the order of one thread.
#include <cstdio>

__global__ void say(const char* text, double x, long long big) {
  printf("%d %5d|%-5d|%05d %+d\n", -7, 42, 42, 42, 42);
  printf("%u %x %X %o %c%%\n", 4000000000u, 255u, 255u, 8u, 'z');
  printf("%.3f %8.2f|%-8.1f|%e %g\n", x, x, x, x, x);
  printf("%lld %llx %s|%10s|%.3s\n", big, big, "text", "right", "shortened");
  printf("%d of %d, %s\n", threadIdx.x, blockDim.x, x > 3 ? "more" : "less");
}

int main() {
  say<<<1, 1>>>(nullptr, 3.14159, -1234567890123ll);
  cudaDeviceSynchronize();
  printf("done\n");
}
