// The functions of CUDA's runtime about the device's pool of memory. What is freed goes back to the device at once
// here, so the pool holds nothing, and what a program says of it is kept and told.
#include <cstring>
#include <mutex>

#include "../../device/program/warpcell_program/pools.h"
#include "runtime.h"

using warpcell::program_runtime;

namespace {

// As CUDA has it at first: all that is free goes back when a program waits, and memory is reused where it can be.
struct Pool {
  int reuse[3] = {1, 1, 1};
  unsigned long long threshold = 0;
};
std::mutex mutex;  // threads of the program share it
Pool pool;

cudaMemPool_t handle() { return reinterpret_cast<cudaMemPool_t>(&pool); }

cudaError_t noted(const char* call, unsigned line, cudaError_t error) {
  return program_runtime->note(call, line, error);
}

cudaError_t pool_of(const char* call, unsigned line, cudaMemPool_t* of, int device) {
  if (of == nullptr) return noted(call, line, cudaErrorInvalidValue);
  *of = handle();
  return device == 0 ? cudaSuccess : noted(call, line, cudaErrorInvalidDevice);
}

// Where an attribute is kept; null for none of the pool's.
void* place_of(cudaMemPoolAttr attribute, size_t* bytes) {
  *bytes = attribute == cudaMemPoolAttrReleaseThreshold ? sizeof pool.threshold : sizeof pool.reuse[0];
  if (attribute == cudaMemPoolAttrReleaseThreshold) return &pool.threshold;
  bool is_known = attribute >= 1 && attribute <= 3;
  return is_known ? &pool.reuse[attribute - 1] : nullptr;
}

cudaError_t exchange(const char* call, unsigned line, cudaMemPool_t of, cudaMemPoolAttr attribute, void* value,
                     bool is_set) {
  size_t bytes;
  void* place = place_of(attribute, &bytes);
  if (of != handle() || place == nullptr || value == nullptr) return noted(call, line, cudaErrorInvalidValue);
  std::lock_guard<std::mutex> lock(mutex);
  std::memcpy(is_set ? place : value, is_set ? value : place, bytes);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* of, int device, unsigned line) {
  return pool_of("cudaDeviceGetDefaultMemPool", line, of, device);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* of, int device, unsigned line) {
  return pool_of("cudaDeviceGetMemPool", line, of, device);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t of, cudaMemPoolAttr attribute, void* value, unsigned line) {
  return exchange("cudaMemPoolSetAttribute", line, of, attribute, value, true);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t of, cudaMemPoolAttr attribute, void* value, unsigned line) {
  return exchange("cudaMemPoolGetAttribute", line, of, attribute, value, false);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t of, size_t, unsigned line) {
  return of == handle() ? cudaSuccess : noted("cudaMemPoolTrimTo", line, cudaErrorInvalidValue);
}
cudaError_t warpcell_program_malloc_from_pool(void** memory, size_t bytes, cudaMemPool_t of, cudaStream_t stream,
                                              unsigned line) {
  if (of != handle()) return noted("cudaMallocFromPoolAsync", line, cudaErrorInvalidValue);
  return cudaMallocAsync(memory, bytes, stream, line);
}
