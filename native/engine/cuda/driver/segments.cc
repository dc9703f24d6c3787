// Creates, imports and maps segments: cuMemCreate with POSIX descriptors on the device, registered shared memory on the
// host.
#include "segments.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "../../../protocol/packet.h"
#include "../../host/refusals.h"

namespace warpcell::cuda {
namespace {

class DeviceSegment : public Segment {
 public:
  DeviceSegment(const DriverApi& api, DevicePointer address, uint64_t bytes, uint64_t mapped)
      : Segment(address, bytes), api_(api), mapped_(mapped) {}

  // A failure here means a lost context, which the next call reports.
  ~DeviceSegment() override {
    api_.cuMemUnmap(address, mapped_);
    api_.cuMemAddressFree(address, mapped_);
  }

 private:
  const DriverApi& api_;
  uint64_t mapped_;
};

class HostSegment : public Segment {
 public:
  HostSegment(const DriverApi& api, DevicePointer address, void* mapping, uint64_t bytes)
      : Segment(address, bytes), api_(api), mapping_(mapping) {}

  ~HostSegment() override {
    api_.cuMemHostUnregister(mapping_);
    munmap(mapping_, bytes);
  }

 private:
  const DriverApi& api_;
  void* mapping_;
};

// A mapped allocation keeps itself alive; its handle is only needed until then.
class Allocation {
 public:
  Allocation(const DriverApi& api, AllocationHandle handle) : handle(handle), api_(api) {}
  ~Allocation() { api_.cuMemRelease(handle); }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  const AllocationHandle handle;

 private:
  const DriverApi& api_;
};

std::string mebibytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::unique_ptr<Segment> map_host(const DriverApi& api, uint64_t bytes, int descriptor) {
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapping == MAP_FAILED) {
    throw DeviceError("OUT_OF_MEMORY", "The system refused to map " + mebibytes(bytes) +
                                           " of shared memory: " + std::strerror(errno) + ".");
  }
  Result result = api.cuMemHostRegister(mapping, bytes, 0);
  DevicePointer address = 0;
  if (result == kSuccess) {
    result = api.cuMemHostGetDevicePointer(&address, mapping, 0);
    if (result == kSuccess) return std::make_unique<HostSegment>(api, address, mapping, bytes);
    api.cuMemHostUnregister(mapping);
  }
  munmap(mapping, bytes);
  api.check(result, "pinning shared memory");
  return nullptr;
}

}  // namespace

int Segments::create(uint32_t number, uint64_t bytes) {
  require_shareable();
  auto& place = slot(number);
  AllocationProperties wanted = properties();
  uint64_t whole = whole_bytes(bytes);

  AllocationHandle handle = 0;
  Result result = api_.cuMemCreate(&handle, whole, &wanted, 0);
  if (result == kOutOfMemory) {
    size_t free = 0, total = 0;
    api_.check(api_.cuMemGetInfo(&free, &total), "reading the free memory");
    take_driver_log();
    throw DeviceError("OUT_OF_MEMORY", "There is no room for " + mebibytes(whole) +
                                           " of device memory: " + mebibytes(free) + " of " + mebibytes(total) +
                                           " are free. Dispose of tensors, or use smaller ones.");
  }
  api_.check(result, "creating a segment");
  Allocation allocation(api_, handle);

  int descriptor = -1;
  api_.check(api_.cuMemExportToShareableHandle(&descriptor, handle, kHandlePosixDescriptor, 0), "exporting a segment");
  Descriptor exported(descriptor);
  place = map(handle, bytes);
  return exported.release();
}

void Segments::import(uint32_t number, Memory memory, uint64_t bytes, int descriptor) {
  Descriptor owned(descriptor);
  auto& place = slot(number);
  if (memory == Memory::host) {
    place = map_host(api_, bytes, descriptor);
    return;
  }
  require_shareable();
  AllocationHandle handle = 0;
  void* as_pointer = reinterpret_cast<void*>(intptr_t(descriptor));
  api_.check(api_.cuMemImportFromShareableHandle(&handle, as_pointer, kHandlePosixDescriptor), "importing a segment");
  Allocation allocation(api_, handle);
  place = map(handle, bytes);
}

void Segments::release(uint32_t number) {
  if (number >= segments_.size() || segments_[number] == nullptr) throw unknown_segment(number);
  segments_[number].reset();
}

void Segments::throw_illegal(Place place, uint64_t bytes) const {
  uint32_t number = segment_of(place);
  if (number >= segments_.size() || segments_[number] == nullptr) throw unknown_segment(number);
  throw outside_segment(number, offset_of(place), bytes, segments_[number]->bytes);
}

std::unique_ptr<Segment>& Segments::slot(uint32_t number) {
  if (number > kMaxSegments) throw unknown_segment(number);
  if (number >= segments_.size()) segments_.resize(number + 1);
  if (segments_[number] != nullptr) throw known_segment(number);
  return segments_[number];
}

AllocationProperties Segments::properties() const {
  AllocationProperties wanted = {};
  wanted.type = kAllocationPinned;
  wanted.handle_types = kHandlePosixDescriptor;
  wanted.location = {kLocationDevice, device_};
  return wanted;
}

uint64_t Segments::whole_bytes(uint64_t bytes) const {
  AllocationProperties wanted = properties();
  size_t step = 0;
  api_.check(api_.cuMemGetAllocationGranularity(&step, &wanted, kGranularityMinimum), "reading the size of a page");
  return (bytes + step - 1) / step * step;
}

void Segments::require_shareable() const {
  if (shareable_) return;
  throw DeviceError("UNSUPPORTED",
                    "The memory of this GPU cannot be shared between processes (cuMemCreate with POSIX handles), "
                    "as under WSL, vGPU or an old driver. Use the cpu device.");
}

std::unique_ptr<Segment> Segments::map(AllocationHandle handle, uint64_t bytes) const {
  uint64_t whole = whole_bytes(bytes);
  DevicePointer address = 0;
  api_.check(api_.cuMemAddressReserve(&address, whole, 0, 0, 0), "reserving addresses");
  Result result = api_.cuMemMap(address, whole, 0, handle, 0);
  if (result != kSuccess) {
    api_.cuMemAddressFree(address, whole);
    api_.check(result, "mapping a segment");
  }
  auto segment = std::make_unique<DeviceSegment>(api_, address, bytes, whole);
  AccessDescription access = {{kLocationDevice, device_}, kAccessReadWrite};
  api_.check(api_.cuMemSetAccess(address, whole, &access, 1), "allowing access to a segment");
  return segment;
}

}  // namespace warpcell::cuda
