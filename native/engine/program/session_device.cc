// What host functions ask of a device, written down for the session.
#include "session_device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <sys/mman.h>

namespace warpcell {
namespace {

constexpr size_t kAlignment = 256;

// What the session answers; an error where it refuses, whose reason the session itself will tell.
cudaError_t asked(const JsonObject& event, std::vector<std::string>* answer = nullptr) {
  // What a variable of the host is initialised with runs when the code is loaded.
  if (host_call == nullptr) return cudaErrorInitializationError;
  try {
    std::vector<std::string> fields = host_call->ask(event);
    if (answer != nullptr) *answer = std::move(fields);
    return cudaSuccess;
  } catch (const std::runtime_error&) { return cudaErrorNotPermitted; }
}

}  // namespace

SessionDevice::SessionDevice(const std::vector<std::string>& facts) {
  for (const std::string& fact : facts) {
    size_t space = std::min(fact.find(' '), fact.size() - 1);
    facts_[fact.substr(0, space)] = fact.substr(space + 1);
  }
}

const HostBlock* SessionDevice::find(const void* address) const {
  if (host_call == nullptr) return nullptr;
  auto at = reinterpret_cast<uint64_t>(address);
  const HostBlock* block = block_at(host_call->blocks(), at);
  if (block != nullptr && at < block->start + block->bytes) return block;
  const HostBlock* allocated = block_at(allocated_, at);
  return allocated == nullptr ? block : allocated;
}

const HostBlock* SessionDevice::range(const void* address, size_t bytes, uint64_t* offset) const {
  const HostBlock* block = find(address);
  if (block == nullptr) return nullptr;
  *offset = reinterpret_cast<uint64_t>(address) - block->start;
  return bytes <= block->bytes - *offset ? block : nullptr;
}

// --- the device

cudaError_t SessionDevice::properties(cudaDeviceProp* properties) {
  auto number = [this](const char* name) { return std::atoll(facts_[name].c_str()); };
  cudaDeviceProp& p = *properties;
  p = {};
  std::strncpy(p.name, facts_["name"].c_str(), sizeof p.name - 1);
  p.totalGlobalMem = size_t(number("memoryTotal"));
  p.sharedMemPerBlock = size_t(number("sharedPerBlock"));
  p.sharedMemPerBlockOptin = size_t(number("sharedPerBlockOptin"));
  p.regsPerBlock = int(number("registersPerBlock"));
  p.warpSize = int(number("warpSize"));
  p.maxThreadsPerBlock = int(number("maxThreadsPerBlock"));
  const char* axes[] = {"0", "1", "2"};
  for (int i = 0; i < 3; i++) {
    p.maxThreadsDim[i] = int(number((std::string("maxBlock") + axes[i]).c_str()));
    p.maxGridSize[i] = int(number((std::string("maxGrid") + axes[i]).c_str()));
  }
  p.multiProcessorCount = int(number("multiprocessors"));
  p.major = int(number("major"));
  p.minor = int(number("minor"));
  p.totalConstMem = 64 << 10;
  p.concurrentKernels = p.unifiedAddressing = p.cooperativeLaunch = 1;
  return cudaSuccess;
}

cudaError_t SessionDevice::attribute(int* value, cudaDeviceAttr attribute) {
  cudaDeviceProp p;
  properties(&p);
  const std::map<cudaDeviceAttr, int> known = {
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, int(p.sharedMemPerBlock)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, int(p.sharedMemPerBlockOptin)},
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
  };
  auto found = known.find(attribute);
  if (found == known.end()) return cudaErrorNotSupported;
  *value = found->second;
  return cudaSuccess;
}

cudaError_t SessionDevice::memory(size_t* free, size_t* total) {
  std::vector<std::string> answer;
  cudaError_t error = asked(JsonObject().text("kind", "memory"), &answer);
  if (error != cudaSuccess || answer.size() < 2) return error == cudaSuccess ? cudaErrorUnknown : error;
  if (free != nullptr) *free = std::strtoull(answer[0].c_str(), nullptr, 10);
  if (total != nullptr) *total = std::strtoull(answer[1].c_str(), nullptr, 10);
  return cudaSuccess;
}

cudaError_t SessionDevice::synchronize() { return asked(JsonObject().text("kind", "synchronize")); }

cudaError_t SessionDevice::stream_synchronize(cudaStream_t stream) {
  return stream == nullptr ? synchronize() : cudaErrorInvalidResourceHandle;
}

// --- memory

// The session knows variables by their symbols; host code gets an address that stands for one during the call.
cudaError_t SessionDevice::variable(const std::string& symbol, void** memory, size_t* bytes) {
  constexpr uint64_t kRoom = uint64_t(1) << 36;
  if (variables_ == 0) {
    void* room = mmap(nullptr, kRoom, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return cudaErrorMemoryAllocation;
    variables_ = reinterpret_cast<uint64_t>(room);
  }
  std::vector<std::string> answer;
  cudaError_t error = asked(JsonObject().text("kind", "variable").text("symbol", symbol), &answer);
  if (error != cudaSuccess || answer.size() < 2) return cudaErrorInvalidSymbol;
  uint64_t at = variables_;
  for (const HostBlock& block : host_call->blocks()) {
    if (block.is_variable) at = std::max(at, (block.start + block.bytes) / kAlignment * kAlignment + kAlignment);
  }
  *bytes = std::strtoull(answer[1].c_str(), nullptr, 10);
  if (*bytes > kRoom || at - variables_ > kRoom - *bytes) return cudaErrorMemoryAllocation;
  host_call->add_block({at, *bytes, std::strtoull(answer[0].c_str(), nullptr, 10), true});
  *memory = reinterpret_cast<void*>(at);
  return cudaSuccess;
}

cudaError_t SessionDevice::allocate(ProgramMemory kind, size_t bytes, void** memory) {
  if (kind == ProgramMemory::managed) return cudaErrorNotSupported;
  if (kind == ProgramMemory::host) {
    *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    host_.push_back(*memory);
    return cudaSuccess;
  }
  std::vector<std::string> answer;
  if (asked(JsonObject().text("kind", "allocate").number("bytes", int64_t(bytes)), &answer) != cudaSuccess ||
      answer.size() < 2)
    return cudaErrorMemoryAllocation;
  *memory = host_call->address(std::strtoull(answer[1].c_str(), nullptr, 10));
  allocated_.push_back({reinterpret_cast<uint64_t>(*memory), bytes, std::strtoull(answer[0].c_str(), nullptr, 10)});
  return cudaSuccess;
}

cudaError_t SessionDevice::release(ProgramMemory kind, void* memory) {
  if (kind == ProgramMemory::host) {
    auto found = std::find(host_.begin(), host_.end(), memory);
    if (found == host_.end()) return cudaErrorInvalidValue;
    std::free(memory);
    host_.erase(found);
    return cudaSuccess;
  }
  auto start = reinterpret_cast<uint64_t>(memory);
  auto found = std::find_if(allocated_.begin(), allocated_.end(),
                            [start](const HostBlock& block) { return block.start == start; });
  if (found == allocated_.end() || host_call == nullptr) return cudaErrorInvalidValue;
  host_call->note(JsonObject().text("kind", "free").number("block", int64_t(found->number)));
  allocated_.erase(found);
  return cudaSuccess;
}

cudaMemoryType SessionDevice::kind_of(const void* memory) {
  if (find(memory) != nullptr) return cudaMemoryTypeDevice;
  return std::find(host_.begin(), host_.end(), memory) == host_.end() ? cudaMemoryTypeUnregistered : cudaMemoryTypeHost;
}

cudaError_t SessionDevice::copy(const ProgramCopy& c) {
  const HostBlock* to_block = find(c.to);
  const HostBlock* from_block = find(c.from);
  bool is_known = c.kind != cudaMemcpyDefault;
  bool to_device =
      is_known ? c.kind == cudaMemcpyHostToDevice || c.kind == cudaMemcpyDeviceToDevice : to_block != nullptr;
  bool from_device =
      is_known ? c.kind == cudaMemcpyDeviceToHost || c.kind == cudaMemcpyDeviceToDevice : from_block != nullptr;
  if (to_device != (to_block != nullptr) || from_device != (from_block != nullptr)) return cudaErrorInvalidValue;

  // Rows without gaps are one.
  bool is_whole = c.height == 1 || (c.to_pitch == c.width && c.from_pitch == c.width);
  size_t rows = is_whole ? 1 : c.height, width = is_whole ? c.width * c.height : c.width;
  cudaError_t error = cudaSuccess;
  for (size_t row = 0; row < rows && error == cudaSuccess; row++) {
    error = copy_row(static_cast<char*>(c.to) + row * c.to_pitch, to_device,
                     static_cast<const char*>(c.from) + row * c.from_pitch, from_device, width);
  }
  return error;
}

cudaError_t SessionDevice::copy_row(char* to, bool to_device, const char* from, bool from_device, size_t bytes) {
  uint64_t to_offset = 0, from_offset = 0;
  const HostBlock* target = to_device ? range(to, bytes, &to_offset) : nullptr;
  const HostBlock* source = from_device ? range(from, bytes, &from_offset) : nullptr;
  if (to_device != (target != nullptr) || from_device != (source != nullptr)) return cudaErrorInvalidValue;
  JsonObject event;
  event.number("bytes", int64_t(bytes));
  if (target != nullptr) event.number("to", int64_t(target->number)).number("toOffset", int64_t(to_offset));
  if (source != nullptr) event.number("from", int64_t(source->number)).number("fromOffset", int64_t(from_offset));
  if (target != nullptr && source != nullptr && !target->is_variable && !source->is_variable) {
    host_call->note(event.text("kind", "copy"));
    return cudaSuccess;
  }
  std::string read;
  if (source != nullptr) {
    std::vector<std::string> answer;
    JsonObject question = event;
    cudaError_t error = asked(question.text("kind", "read"), &answer);
    if (error != cudaSuccess) return error;
    if (answer.empty() || answer[0].size() != bytes) return cudaErrorUnknown;
    read = std::move(answer[0]);
    from = read.data();
  }
  if (target != nullptr)
    host_call->note(event.text("kind", "write").number("at", int64_t(host_call->attach(from, bytes))));
  else
    std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t SessionDevice::fill(const ProgramFill& f) {
  bool is_whole = f.height == 1 || f.pitch == f.width;
  size_t rows = is_whole ? 1 : f.height, width = is_whole ? f.width * f.height : f.width;
  for (size_t row = 0; row < rows; row++) {
    uint64_t offset = 0;
    const HostBlock* block = range(static_cast<char*>(f.memory) + row * f.pitch, width, &offset);
    if (block == nullptr) return cudaErrorInvalidValue;
    host_call->note(JsonObject()
                        .text("kind", "fill")
                        .number("to", int64_t(block->number))
                        .number("toOffset", int64_t(offset))
                        .number("bytes", int64_t(width))
                        .number("value", f.value));
  }
  return cudaSuccess;
}

// --- kernels

// Addresses of tensors travel as places, since what is recorded may run in another process.
cudaError_t SessionDevice::launch(const ProgramLaunch& launch) {
  if (host_call == nullptr) return cudaErrorInitializationError;
  if (launch.stream != nullptr) return cudaErrorInvalidResourceHandle;
  const HostKernel& kernel = kernels_[launch.kernel];
  size_t bytes = kernel.parameters.empty() ? 0 : kernel.parameters.back().first + kernel.parameters.back().second;
  std::vector<uint8_t> packed(bytes);
  std::vector<std::string> pointers;
  for (size_t i = 0; i < kernel.parameters.size(); i++) {
    auto [offset, size] = kernel.parameters[i];
    std::memcpy(packed.data() + offset, launch.arguments[i], size);
    for (uint32_t at = (offset + 7) / 8 * 8; at + 8 <= offset + size; at += 8) {
      uint64_t word;
      std::memcpy(&word, packed.data() + at, sizeof word);
      const HostBlock* block = word == 0 ? nullptr : find(reinterpret_cast<void*>(word));
      if (block == nullptr || block->is_variable) continue;
      pointers.push_back(
          json_list({std::to_string(at), std::to_string(block->number), std::to_string(word - block->start)}));
    }
  }
  auto three = [](const uint32_t* sizes) {
    return json_list({std::to_string(sizes[0]), std::to_string(sizes[1]), std::to_string(sizes[2])});
  };
  host_call->note(JsonObject()
                      .text("kind", "launch")
                      .number("kernel", launch.kernel)
                      .number("line", launch.line)
                      .raw("grid", three(launch.grid))
                      .raw("block", three(launch.block))
                      .number("shared", int64_t(launch.shared))
                      .boolean("cooperative", launch.cooperative)
                      .raw("cluster", launch.cluster[0] == 0 ? "null" : three(launch.cluster))
                      .number("at", int64_t(host_call->attach(packed.data(), packed.size())))
                      .number("bytes", int64_t(bytes))
                      .raw("pointers", json_list(pointers)));
  return cudaSuccess;
}

cudaError_t SessionDevice::kernel_attributes(uint32_t kernel, cudaFuncAttributes* attributes) {
  *attributes = {};
  attributes->maxThreadsPerBlock = kernels_[kernel].max_threads;
  return cudaSuccess;
}

cudaError_t SessionDevice::active_blocks(uint32_t kernel, int threads, size_t shared, int* blocks) {
  std::vector<std::string> answer;
  cudaError_t error = asked(JsonObject()
                                .text("kind", "occupancy")
                                .number("kernel", kernel)
                                .number("threads", threads)
                                .number("shared", int64_t(shared)),
                            &answer);
  if (error == cudaSuccess && !answer.empty()) *blocks = std::atoi(answer[0].c_str());
  return error;
}

cudaError_t SessionDevice::best_block(uint32_t kernel, size_t shared, int limit, int* grid, int* block) {
  int most = kernels_[kernel].max_threads;
  if (limit > 0) most = std::min(most, limit);
  std::vector<std::string> answer;
  cudaError_t error = asked(JsonObject()
                                .text("kind", "occupancy")
                                .number("kernel", kernel)
                                .number("threads", most)
                                .number("shared", int64_t(shared)),
                            &answer);
  if (error != cudaSuccess || answer.size() < 3) return error == cudaSuccess ? cudaErrorUnknown : error;
  *block = std::min(most, std::atoi(answer[1].c_str()));
  *grid = std::atoi(answer[2].c_str());
  return cudaSuccess;
}

}  // namespace warpcell
