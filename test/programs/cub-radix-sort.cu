// cub::DeviceRadixSort: keys of integers and floats, up and down, pairs, which stay in order where keys are equal, some
// bits only, and double buffers on a stream.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

template <typename T>
T* on_device(const std::vector<T>& h) {
  T* d;
  cudaMalloc(&d, h.size() * sizeof(T));
  cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

template <typename T>
void print(const char* name, const T* device, int n) {
  std::vector<T> h(n);
  cudaMemcpy(h.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += h[i] * double(i % 97);
  printf("%s: %.2f\n", name, sum);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  std::vector<int> numbers(n), places(n);
  std::vector<float> floats(n);
  for (int i = 0; i < n; i++) {
    numbers[i] = (i * 7919 + seed) % 301 - 150;
    floats[i] = numbers[i] * 0.25f;
    places[i] = i;
  }
  int *keys = on_device(numbers), *keys_out = on_device(numbers);
  int *values = on_device(places), *values_out = on_device(places);
  float *f = on_device(floats), *f_out = on_device(floats);
  void* storage = nullptr;
  size_t bytes = 0, most = 0;
  cub::DeviceRadixSort::SortKeys(storage, bytes, keys, keys_out, n);
  most = bytes;
  cub::DeviceRadixSort::SortPairs(storage, bytes, keys, keys_out, values, values_out, n);
  if (bytes > most) most = bytes;
  cudaMalloc(&storage, most);

  cub::DeviceRadixSort::SortKeys(storage, most, keys, keys_out, n);
  print("keys", keys_out, n);
  cub::DeviceRadixSort::SortKeysDescending(storage, most, f, f_out, n);
  print("floats, down", f_out, n);
  cub::DeviceRadixSort::SortPairs(storage, most, keys, keys_out, values, values_out, n);
  print("places", values_out, n);
  cub::DeviceRadixSort::SortPairsDescending(storage, most, f, f_out, values, values_out, n);
  print("places, down", values_out, n);
  // By the lowest three bits.
  cub::DeviceRadixSort::SortPairs(storage, most, keys, keys_out, values, values_out, n, 0, 3);
  print("by three bits", values_out, n);

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cub::DoubleBuffer<int> k(keys, keys_out), v(values, values_out);
  cub::DeviceRadixSort::SortPairs(storage, most, k, v, n, 0, 32, stream);
  cudaStreamSynchronize(stream);
  print("buffered", v.Current(), n);
  cudaStreamDestroy(stream);
  cudaFree(storage);
  cudaFree(keys);
  cudaFree(keys_out);
  cudaFree(values);
  cudaFree(values_out);
  cudaFree(f);
  cudaFree(f_out);
  return 0;
}
