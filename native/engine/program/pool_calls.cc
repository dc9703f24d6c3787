// The functions of CUDA's runtime for memory in the order of a stream, and about the pools that it comes from. What is
// freed goes back to the device at once here, so a pool reserves what is used, and what a program says of it is kept
// and told.
#include "pools.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "../../device/program/warpcell_program/pools.h"
#include "runtime.h"

using warpcell::program_runtime;
using warpcell::ProgramMemory;

namespace {

// As CUDA has it at first: all that is free goes back when a program waits, and memory is reused where it can be.
struct Pool {
  int reuse[3] = {1, 1, 1};
  unsigned long long threshold = 0, used = 0, most_used = 0, most_reserved = 0;
  size_t limit = 0;  // bytes; 0: none
  bool is_destroyed = false;
};
struct Block {
  Pool* pool;
  size_t bytes;
};
std::mutex mutex;  // threads of the program share all of it
Pool first;        // the device's own
std::map<Pool*, std::unique_ptr<Pool>> made;
Pool* current = &first;
std::map<void*, Block> blocks;

cudaMemPool_t handle(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

cudaError_t noted(const char* call, unsigned line, cudaError_t error) {
  return program_runtime->note(call, line, error);
}

// Null for none that there is.
Pool* pool_at(cudaMemPool_t pool) {
  auto* at = reinterpret_cast<Pool*>(pool);
  auto found = made.find(at);
  bool is_made = found != made.end() && !at->is_destroyed;
  return at == &first || is_made ? at : nullptr;
}

cudaError_t pool_of(const char* call, unsigned line, cudaMemPool_t* of, Pool* pool, int device) {
  if (of == nullptr) return noted(call, line, cudaErrorInvalidValue);
  *of = handle(pool);
  return device == 0 ? cudaSuccess : noted(call, line, cudaErrorInvalidDevice);
}

struct Place {
  void* address = nullptr;
  size_t bytes = sizeof(unsigned long long);
  bool is_reset = false;  // a program may set it to 0 alone
  bool is_told = false;   // a program may not set it
};

Place place_of(Pool& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      return {&pool.reuse[attribute - 1], sizeof pool.reuse[0]};
    case cudaMemPoolAttrReleaseThreshold:
      return {&pool.threshold};
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return {&pool.used, sizeof pool.used, false, true};
    case cudaMemPoolAttrReservedMemHigh:
      return {&pool.most_reserved, sizeof pool.most_reserved, true};
    case cudaMemPoolAttrUsedMemHigh:
      return {&pool.most_used, sizeof pool.most_used, true};
  }
  return {};
}

cudaError_t exchange(const char* call, unsigned line, cudaMemPool_t of, cudaMemPoolAttr attribute, void* value,
                     bool is_set) {
  std::lock_guard<std::mutex> lock(mutex);
  Pool* pool = pool_at(of);
  Place place = pool == nullptr ? Place{} : place_of(*pool, attribute);
  if (place.address == nullptr || value == nullptr || (is_set && place.is_told))
    return noted(call, line, cudaErrorInvalidValue);
  if (is_set && place.is_reset) {
    unsigned long long given;
    std::memcpy(&given, value, sizeof given);
    if (given != 0) return noted(call, line, cudaErrorInvalidValue);
    std::memcpy(place.address, &pool->used, sizeof pool->used);  // the most from now on
    return cudaSuccess;
  }
  std::memcpy(is_set ? place.address : value, is_set ? value : place.address, place.bytes);
  return cudaSuccess;
}

// A pool that was destroyed goes with its last block.
void forget_unused(Pool* pool) {
  if (pool->is_destroyed && pool->used == 0) made.erase(pool);
}

// `of`: null for the device's pool of now.
cudaError_t allocate(const char* call, unsigned line, void** memory, size_t bytes, Pool* of, cudaStream_t stream) {
  if (memory == nullptr) return noted(call, line, cudaErrorInvalidValue);
  *memory = nullptr;
  cudaError_t error = program_runtime->device.stream_synchronize(warpcell::real(stream));
  if (error != cudaSuccess || bytes == 0) return noted(call, line, error);
  std::lock_guard<std::mutex> lock(mutex);
  Pool* pool = of == nullptr ? current : of;
  if (pool->limit != 0 && bytes > pool->limit - pool->used) return noted(call, line, cudaErrorMemoryAllocation);
  error = program_runtime->device.allocate(ProgramMemory::device, bytes, memory);
  if (error != cudaSuccess) return noted(call, line, error);
  blocks[*memory] = {pool, bytes};
  pool->used += bytes;
  pool->most_used = std::max(pool->most_used, pool->used);
  pool->most_reserved = std::max(pool->most_reserved, pool->used);
  return cudaSuccess;
}

}  // namespace

void warpcell::pool_freed(void* memory) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = blocks.find(memory);
  if (found == blocks.end()) return;
  auto [pool, bytes] = found->second;
  blocks.erase(found);
  pool->used -= bytes;
  forget_unused(pool);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* of, int device, unsigned line) {
  return pool_of("cudaDeviceGetDefaultMemPool", line, of, &first, device);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* of, int device, unsigned line) {
  std::lock_guard<std::mutex> lock(mutex);
  return pool_of("cudaDeviceGetMemPool", line, of, current, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t to, unsigned line) {
  std::lock_guard<std::mutex> lock(mutex);
  Pool* pool = pool_at(to);
  if (pool != nullptr && device == 0) current = pool;
  cudaError_t error = device != 0 ? cudaErrorInvalidDevice : pool == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  return noted("cudaDeviceSetMemPool", line, error);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* of, const cudaMemPoolProps* properties, unsigned line) {
  bool is_right = of != nullptr && properties != nullptr && properties->allocType == cudaMemAllocationTypePinned &&
                  properties->location.type == cudaMemLocationTypeDevice;
  if (!is_right) return noted("cudaMemPoolCreate", line, cudaErrorInvalidValue);
  if (properties->location.id != 0) return noted("cudaMemPoolCreate", line, cudaErrorInvalidDevice);
  if (properties->handleTypes != cudaMemHandleTypeNone) return noted("cudaMemPoolCreate", line, cudaErrorNotSupported);
  auto pool = std::make_unique<Pool>();
  pool->limit = properties->maxSize;
  std::lock_guard<std::mutex> lock(mutex);
  *of = handle(pool.get());
  Pool* address = pool.get();
  made[address] = std::move(pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t of, unsigned line) {
  std::lock_guard<std::mutex> lock(mutex);
  Pool* pool = pool_at(of);
  if (pool == nullptr || pool == &first) return noted("cudaMemPoolDestroy", line, cudaErrorInvalidValue);
  if (current == pool) current = &first;
  pool->is_destroyed = true;
  forget_unused(pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t of, const cudaMemAccessDesc* list, size_t count, unsigned line) {
  std::lock_guard<std::mutex> lock(mutex);
  cudaError_t error = pool_at(of) == nullptr || (list == nullptr && count > 0) ? cudaErrorInvalidValue : cudaSuccess;
  // The device that a pool is of cannot lose it.
  for (size_t i = 0; error == cudaSuccess && i < count; i++) {
    if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0) error = cudaErrorInvalidDevice;
    if (error == cudaSuccess && list[i].flags != cudaMemAccessFlagsProtReadWrite) error = cudaErrorInvalidValue;
  }
  return noted("cudaMemPoolSetAccess", line, error);
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t of, cudaMemLocation* location,
                                 unsigned line) {
  std::lock_guard<std::mutex> lock(mutex);
  bool is_right = pool_at(of) != nullptr && flags != nullptr && location != nullptr &&
                  location->type == cudaMemLocationTypeDevice && location->id == 0;
  if (is_right) *flags = cudaMemAccessFlagsProtReadWrite;
  return noted("cudaMemPoolGetAccess", line, is_right ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t of, cudaMemPoolAttr attribute, void* value, unsigned line) {
  return exchange("cudaMemPoolSetAttribute", line, of, attribute, value, true);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t of, cudaMemPoolAttr attribute, void* value, unsigned line) {
  return exchange("cudaMemPoolGetAttribute", line, of, attribute, value, false);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t of, size_t, unsigned line) {
  std::lock_guard<std::mutex> lock(mutex);
  return noted("cudaMemPoolTrimTo", line, pool_at(of) != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream, unsigned line) {
  return allocate("cudaMallocAsync", line, memory, bytes, nullptr, stream);
}
cudaError_t warpcell_program_malloc_from_pool(void** memory, size_t bytes, cudaMemPool_t of, cudaStream_t stream,
                                              unsigned line) {
  std::unique_lock<std::mutex> lock(mutex);
  Pool* pool = pool_at(of);
  lock.unlock();
  if (pool == nullptr) return noted("cudaMallocFromPoolAsync", line, cudaErrorInvalidValue);
  return allocate("cudaMallocFromPoolAsync", line, memory, bytes, pool, stream);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream, unsigned line) {
  cudaError_t error = program_runtime->device.stream_synchronize(warpcell::real(stream));
  if (error != cudaSuccess || memory == nullptr) return noted("cudaFreeAsync", line, error);
  warpcell::pool_freed(memory);
  return noted("cudaFreeAsync", line, program_runtime->device.release(ProgramMemory::device, memory));
}
