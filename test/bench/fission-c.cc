// Plain C++ of one thread, as a rival of kernels that share memory: prints the least time of each in milliseconds.
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

template <class Work>
double least(Work work) {
  double best = 1e9;
  for (int i = 0; i < 15; i++) {
    auto start = std::chrono::steady_clock::now();
    work();
    double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (took < best) best = took;
  }
  return best;
}

void keep(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

}  // namespace

int main() {
  const int n = 1 << 22, scanned = 1 << 20;
  std::vector<float> x(n, 0.5f), y(n, 1.0f);
  std::vector<unsigned char> bytes(n);
  for (int i = 0; i < n; i++) bytes[i] = static_cast<unsigned char>((i * 2654435761u) >> 24);
  std::vector<int> bins(256);
  double sum = least([&] {
    float total = 0;
    for (int i = 0; i < n; i++) total += x[i];
    keep(&total);
  });
  double scan = least([&] {
    for (int block = 0; block < scanned; block += 256) {
      float total = 0;
      for (int i = block; i < block + 256; i++) y[i] = total += x[i];
    }
    keep(y.data());
  });
  double histogram = least([&] {
    for (int i = 0; i < n; i++) bins[bytes[i]]++;
    keep(bins.data());
  });
  double saxpy = least([&] {
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + y[i];
    keep(y.data());
  });
  std::printf("{\"sum\":%g,\"scan\":%g,\"histogram\":%g,\"saxpy\":%g}\n", sum, scan, histogram, saxpy);
}
