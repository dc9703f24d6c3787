// Memory that CUPTI writes its records into: hands out buffers of zeros, and keeps the full ones until they are read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace warpcell::cuda {

struct FullBuffer {
  uint8_t* bytes;
  size_t valid;
};

// CUPTI's own threads call request() and complete() too, so the mutex is never held across a call of CUPTI.
class ActivityBuffers {
 public:
  static constexpr size_t kBytes = 8u << 20;  // 38,000 kernels
  static constexpr size_t kPrepared = 8;
  static constexpr size_t kMost = 128;  // 1 GiB; records beyond are dropped

  ActivityBuffers() = default;
  ActivityBuffers(const ActivityBuffers&) = delete;
  ActivityBuffers& operator=(const ActivityBuffers&) = delete;

  // So many buffers are there, and the system has given their memory, before work begins.
  void prepare();
  // Null when there is no more memory, or no more is allowed.
  uint8_t* request();
  void complete(uint8_t* bytes, size_t valid);

  // In the order in which they were completed; the caller gives them back.
  std::vector<FullBuffer> take();
  // Frees all memory that CUPTI does not hold.
  void release(const std::vector<FullBuffer>& read);

 private:
  uint8_t* allocate(bool touched);

  std::mutex mutex_;
  std::vector<uint8_t*> free_;
  std::vector<FullBuffer> full_;
  size_t count_ = 0;  // that exist
};

}  // namespace warpcell::cuda
