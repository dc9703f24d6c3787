// Memory, streams and events that classes own and move, and errors that are thrown, caught, and told.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& what)
      : std::runtime_error(what + ": " + cudaGetErrorString(code)), code(code) {}
  const cudaError_t code;
};

inline void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw CudaError(code, what);
}
#define CHECK(call) check((call), #call)

template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t size) : size_(size) {
    CHECK(cudaMalloc(&data_, size * sizeof(T)));
    live++;
  }
  explicit DeviceBuffer(const std::vector<T>& from) : DeviceBuffer(from.size()) {
    CHECK(cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceBuffer() {
    if (data_ == nullptr) return;
    cudaFree(data_);
    live--;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  std::vector<T> host() const {
    std::vector<T> to(size_);
    CHECK(cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
  static int live;

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};
template <class T>
int DeviceBuffer<T>::live = 0;

struct StreamDeleter {
  using pointer = cudaStream_t;
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<cudaStream_t, StreamDeleter>;
Stream makeStream() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  return Stream(stream);
}

template <class T>
__global__ void scale(T* x, T by, size_t n) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) x[i] *= by;
}

template <class T>
DeviceBuffer<T> scaled(DeviceBuffer<T> x, T by, cudaStream_t stream, int threads = 64) {
  scale<<<(x.size() + threads - 1) / threads, threads, 0, stream>>>(x.data(), by, x.size());
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));
  return x;
}

int main(int argc, char** argv) {
  const int n = std::atoi(argv[1]);
  std::vector<int> numbers(n);
  for (int i = 0; i < n; i++) numbers[i] = i;
  try {
    auto stream = makeStream();
    std::vector<DeviceBuffer<int>> buffers;
    for (int by : {2, 3, 5}) buffers.push_back(scaled(DeviceBuffer<int>(numbers), by, stream.get()));
    buffers[0] = scaled(std::move(buffers[0]), 10, stream.get());
    for (auto& buffer : buffers) {
      long long sum = 0;
      for (int value : buffer.host()) sum += value;
      std::printf("%lld ", sum);
    }
    std::printf("live %d\n", DeviceBuffer<int>::live);
    buffers.erase(buffers.begin());
    std::printf("live %d\n", DeviceBuffer<int>::live);
    scaled(DeviceBuffer<int>(numbers), 7, stream.get(), 4096);
    std::printf("never\n");
  } catch (const CudaError& error) { std::printf("%s (%s)\n", error.what(), cudaGetErrorName(error.code)); }
  std::printf("live %d last %d\n", DeviceBuffer<int>::live, (int)cudaGetLastError());
  try {
    DeviceBuffer<double> huge(size_t(1) << 58);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
}
