// The functions of CUDA's runtime that a program calls: each has the device do it, and notes how it went.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include "../../device/program/warpcell_program/functions.h"
#include "errors.h"
#include "pools.h"
#include "runtime.h"

using warpcell::program_runtime;
using warpcell::ProgramCopy;
using warpcell::ProgramFill;
using warpcell::ProgramLaunch;
using warpcell::ProgramMemory;
using warpcell::real;

namespace {

warpcell::ProgramDevice& device() { return program_runtime->device; }

cudaError_t noted(const char* call, unsigned line, cudaError_t error) {
  return program_runtime->note(call, line, error);
}

// What a kernel prints comes where the program has it run, so text of the host leaves before.
void flush() { std::fflush(stdout); }

struct Configuration {
  unsigned line;
  unsigned grid[3], block[3];
  size_t shared;
  cudaStream_t stream;
};
thread_local Configuration configured{};

cudaError_t copy(const char* call, unsigned line, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                 size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool waits) {
  flush();
  if (unsigned(kind) > cudaMemcpyDefault) return noted(call, line, cudaErrorInvalidMemcpyDirection);
  if (width == 0 || height == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return noted(call, line, cudaErrorInvalidValue);
  if (height > 1 && (to_pitch < width || from_pitch < width)) return noted(call, line, cudaErrorInvalidPitchValue);
  return noted(call, line, device().copy({to, to_pitch, from, from_pitch, width, height, kind, real(stream), waits}));
}

cudaError_t fill(const char* call, unsigned line, void* memory, size_t pitch, int value, size_t width, size_t height,
                 cudaStream_t stream, bool waits) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (memory == nullptr || (height > 1 && pitch < width)) return noted(call, line, cudaErrorInvalidValue);
  return noted(call, line, device().fill({memory, pitch, value & 0xff, width, height, real(stream), waits}));
}

cudaError_t allocate(const char* call, unsigned line, ProgramMemory kind, void** memory, size_t bytes) {
  if (memory == nullptr) return noted(call, line, cudaErrorInvalidValue);
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  return noted(call, line, device().allocate(kind, bytes, memory));
}

cudaError_t release(const char* call, unsigned line, ProgramMemory kind, void* memory) {
  flush();
  if (kind == ProgramMemory::device) warpcell::pool_freed(memory);
  return memory == nullptr ? cudaSuccess : noted(call, line, device().release(kind, memory));
}

cudaError_t of_device(const char* call, unsigned line, int number) {
  return number == 0 ? cudaSuccess : noted(call, line, cudaErrorInvalidDevice);
}

}  // namespace

const char* cudaGetErrorString(cudaError_t error) { return warpcell::error_words(error); }
const char* cudaGetErrorName(cudaError_t error) { return warpcell::error_name(error); }
cudaError_t cudaGetLastError() { return program_runtime->last_error(true); }
cudaError_t cudaPeekAtLastError() { return program_runtime->last_error(false); }

cudaError_t cudaGetDeviceCount(int* count, unsigned line) {
  if (count == nullptr) return noted("cudaGetDeviceCount", line, cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* number, unsigned line) {
  if (number == nullptr) return noted("cudaGetDevice", line, cudaErrorInvalidValue);
  *number = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int number, unsigned line) { return of_device("cudaSetDevice", line, number); }
cudaError_t cudaSetDeviceFlags(unsigned, unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number, unsigned line) {
  if (properties == nullptr) return noted("cudaGetDeviceProperties", line, cudaErrorInvalidValue);
  if (number != 0) return of_device("cudaGetDeviceProperties", line, number);
  *properties = program_runtime->properties;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number, unsigned line) {
  if (value == nullptr) return noted("cudaDeviceGetAttribute", line, cudaErrorInvalidValue);
  if (number != 0) return of_device("cudaDeviceGetAttribute", line, number);
  return noted("cudaDeviceGetAttribute", line, device().attribute(value, attribute));
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int number, unsigned line) {
  if (id == nullptr) return noted("cudaDeviceGetPCIBusId", line, cudaErrorInvalidValue);
  if (number != 0) return of_device("cudaDeviceGetPCIBusId", line, number);
  const cudaDeviceProp& p = program_runtime->properties;
  int written = snprintf(id, size_t(std::max(length, 0)), "%04X:%02X:%02X.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
  return noted("cudaDeviceGetPCIBusId", line, written < length ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaDeviceGetByPCIBusId(int* number, const char* id, unsigned line) {
  unsigned domain = 0, bus = 0, device = 0;
  const cudaDeviceProp& p = program_runtime->properties;
  bool is_ours = number != nullptr && id != nullptr && sscanf(id, "%x:%x:%x", &domain, &bus, &device) == 3 &&
                 int(domain) == p.pciDomainID && int(bus) == p.pciBusID && int(device) == p.pciDeviceID;
  if (is_ours) *number = 0;
  return noted("cudaDeviceGetByPCIBusId", line, is_ours ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit, unsigned line) {
  constexpr size_t kLimits[] = {1024, 64 << 20, 8 << 20};  // stack, printf, heap
  if (value == nullptr || unsigned(limit) > 2) return noted("cudaDeviceGetLimit", line, cudaErrorInvalidValue);
  *value = kLimits[limit];
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t, unsigned line) {
  return unsigned(limit) > 2 ? noted("cudaDeviceSetLimit", line, cudaErrorInvalidValue) : cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache, unsigned) { return cudaSuccess; }
// Banks of shared memory have four bytes on every device that there is by now.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config, unsigned line) {
  return unsigned(config) > 2 ? noted("cudaDeviceSetSharedMemConfig", line, cudaErrorInvalidValue) : cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config, unsigned line) {
  if (config == nullptr) return noted("cudaDeviceGetSharedMemConfig", line, cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int number, int peer, unsigned line) {
  if (can == nullptr) return noted("cudaDeviceCanAccessPeer", line, cudaErrorInvalidValue);
  *can = 0;  // a device is no peer of itself
  return of_device("cudaDeviceCanAccessPeer", line, number | peer);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned, unsigned line) {
  return noted("cudaDeviceEnablePeerAccess", line, cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int, unsigned line) {
  return noted("cudaDeviceDisablePeerAccess", line, cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int, unsigned line) {
  if (value != nullptr) *value = 0;
  return noted("cudaDeviceGetP2PAttribute", line, cudaErrorInvalidDevice);
}
cudaError_t cudaCtxResetPersistingL2Cache(unsigned) { return cudaSuccess; }
cudaError_t cudaChooseDevice(int* number, const cudaDeviceProp* wanted, unsigned line) {
  if (number == nullptr || wanted == nullptr) return noted("cudaChooseDevice", line, cudaErrorInvalidValue);
  *number = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(unsigned line) {
  flush();
  return noted("cudaDeviceSynchronize", line, device().synchronize());
}
cudaError_t cudaDeviceReset(unsigned line) {
  flush();
  return noted("cudaDeviceReset", line, device().synchronize());
}
cudaError_t cudaDriverGetVersion(int* version, unsigned line) {
  if (version == nullptr) return noted("cudaDriverGetVersion", line, cudaErrorInvalidValue);
  *version = device().version();
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version, unsigned line) {
  if (version == nullptr) return noted("cudaRuntimeGetVersion", line, cudaErrorInvalidValue);
  *version = device().version();
  return cudaSuccess;
}
cudaError_t cudaProfilerStart(unsigned) { return cudaSuccess; }
cudaError_t cudaProfilerStop(unsigned) { return cudaSuccess; }

cudaError_t cudaMalloc(void** memory, size_t bytes, unsigned line) {
  return allocate("cudaMalloc", line, ProgramMemory::device, memory, bytes);
}
cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height, unsigned line) {
  if (pitch == nullptr) return noted("cudaMallocPitch", line, cudaErrorInvalidValue);
  constexpr size_t kRow = 512;
  *pitch = (width + kRow - 1) / kRow * kRow;
  if (width > SIZE_MAX - kRow || (height != 0 && *pitch > SIZE_MAX / height))
    return noted("cudaMallocPitch", line, cudaErrorMemoryAllocation);
  return allocate("cudaMallocPitch", line, ProgramMemory::device, memory, *pitch * height);
}
cudaError_t cudaMallocHost(void** memory, size_t bytes, unsigned, unsigned line) {
  return allocate("cudaMallocHost", line, ProgramMemory::host, memory, bytes);
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned, unsigned line) {
  return allocate("cudaHostAlloc", line, ProgramMemory::host, memory, bytes);
}
cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned, unsigned line) {
  return allocate("cudaMallocManaged", line, ProgramMemory::managed, memory, bytes);
}
cudaError_t cudaFree(void* memory, unsigned line) { return release("cudaFree", line, ProgramMemory::device, memory); }
cudaError_t cudaFreeHost(void* memory, unsigned line) {
  return release("cudaFreeHost", line, ProgramMemory::host, memory);
}
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned, unsigned line) {
  bool is_wrong = memory == nullptr || bytes == 0;
  return noted("cudaHostRegister", line, is_wrong ? cudaErrorInvalidValue : device().pin(memory, bytes));
}
cudaError_t cudaHostUnregister(void* memory, unsigned line) {
  return noted("cudaHostUnregister", line, device().unpin(memory));
}
cudaError_t cudaHostGetDevicePointer(void** on_device, void* host, unsigned, unsigned line) {
  cudaMemoryType kind = device().kind_of(host);
  if (on_device == nullptr || kind == cudaMemoryTypeUnregistered || kind == cudaMemoryTypeDevice)
    return noted("cudaHostGetDevicePointer", line, cudaErrorInvalidValue);
  *on_device = host;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total, unsigned line) {
  return noted("cudaMemGetInfo", line, device().memory(free, total));
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory, unsigned line) {
  if (attributes == nullptr) return noted("cudaPointerGetAttributes", line, cudaErrorInvalidValue);
  void* plain = const_cast<void*>(memory);
  cudaMemoryType kind = device().kind_of(memory);
  *attributes = {kind, 0, kind == cudaMemoryTypeUnregistered ? nullptr : plain,
                 kind == cudaMemoryTypeDevice ? nullptr : plain};
  return cudaSuccess;
}
// Advice, which changes nothing that a program can see.
cudaError_t cudaMemPrefetchAsync(const void* memory, size_t, int, cudaStream_t, unsigned line) {
  bool is_managed = device().kind_of(memory) == cudaMemoryTypeManaged;
  return noted("cudaMemPrefetchAsync", line, is_managed ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t warpcell_program_attach(cudaStream_t, const void* memory, unsigned line) {
  bool is_managed = device().kind_of(memory) == cudaMemoryTypeManaged;
  return noted("cudaStreamAttachMemAsync", line, is_managed ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemAdvise(const void* memory, size_t, cudaMemoryAdvise, int, unsigned line) {
  bool is_managed = device().kind_of(memory) == cudaMemoryTypeManaged;
  return noted("cudaMemAdvise", line, is_managed ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, unsigned line) {
  return copy("cudaMemcpy", line, to, bytes, from, bytes, bytes, 1, kind, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                            unsigned line) {
  return copy("cudaMemcpyAsync", line, to, bytes, from, bytes, bytes, 1, kind, stream, false);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind, unsigned line) {
  return copy("cudaMemcpy2D", line, to, to_pitch, from, from_pitch, width, height, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream, unsigned line) {
  return copy("cudaMemcpy2DAsync", line, to, to_pitch, from, from_pitch, width, height, kind, stream, false);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes, unsigned line) {
  cudaError_t error = of_device("cudaMemcpyPeer", line, to_device | from_device);
  if (error != cudaSuccess) return error;
  return copy("cudaMemcpyPeer", line, to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice, nullptr, true);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream, unsigned line) {
  cudaError_t error = of_device("cudaMemcpyPeerAsync", line, to_device | from_device);
  if (error != cudaSuccess) return error;
  return copy("cudaMemcpyPeerAsync", line, to, bytes, from, bytes, bytes, 1, cudaMemcpyDeviceToDevice, stream, false);
}
cudaError_t cudaMemset(void* memory, int value, size_t bytes, unsigned line) {
  return fill("cudaMemset", line, memory, bytes, value, bytes, 1, nullptr, true);
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream, unsigned line) {
  return fill("cudaMemsetAsync", line, memory, bytes, value, bytes, 1, stream, false);
}
cudaError_t cudaMemset2D(void* memory, size_t pitch, int value, size_t width, size_t height, unsigned line) {
  return fill("cudaMemset2D", line, memory, pitch, value, width, height, nullptr, true);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream, unsigned line) { return cudaStreamCreateWithFlags(stream, 0, line); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags, unsigned line) {
  return noted("cudaStreamCreate", line,
               stream == nullptr ? cudaErrorInvalidValue : device().stream_create(stream, flags));
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int, unsigned line) {
  return cudaStreamCreateWithFlags(stream, flags, line);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest, unsigned) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority, unsigned line) {
  if (priority == nullptr) return noted("cudaStreamGetPriority", line, cudaErrorInvalidValue);
  *priority = 0;  // the one that there is
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream, unsigned line) {
  return noted("cudaStreamDestroy", line,
               real(stream) == nullptr ? cudaErrorInvalidResourceHandle : device().stream_destroy(stream));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream, unsigned line) {
  flush();
  return noted("cudaStreamSynchronize", line, device().stream_synchronize(real(stream)));
}
cudaError_t cudaStreamQuery(cudaStream_t stream, unsigned line) {
  return noted("cudaStreamQuery", line, device().stream_query(real(stream)));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned, unsigned line) {
  return noted("cudaStreamWaitEvent", line,
               event == nullptr ? cudaErrorInvalidResourceHandle : device().stream_wait(real(stream), event));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data, unsigned line) {
  flush();
  return noted("cudaLaunchHostFunc", line,
               function == nullptr ? cudaErrorInvalidValue : device().call_host(real(stream), function, data));
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags,
                                  unsigned line) {
  flush();
  struct Call {
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void* data;
  };
  cudaError_t error = cudaErrorInvalidValue;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (callback != nullptr && flags == 0) error = device().capture_status(real(stream), &status);
  // Such a callback is called once, and a graph runs many times.
  if (error == cudaSuccess && status != cudaStreamCaptureStatusNone) error = cudaErrorStreamCaptureUnsupported;
  if (error == cudaSuccess) {
    auto call = std::make_unique<Call>(Call{callback, stream, data});
    auto make = [](void* of) {
      std::unique_ptr<Call> made(static_cast<Call*>(of));
      made->callback(made->stream, cudaSuccess, made->data);
    };
    error = device().call_host(real(stream), make, call.get());
    if (error == cudaSuccess) call.release();
  }
  return noted("cudaStreamAddCallback", line, error);
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned line) { return cudaEventCreateWithFlags(event, 0, line); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags, unsigned line) {
  return noted("cudaEventCreate", line, event == nullptr ? cudaErrorInvalidValue : device().event_create(event, flags));
}
cudaError_t cudaEventDestroy(cudaEvent_t event, unsigned line) {
  return noted("cudaEventDestroy", line,
               event == nullptr ? cudaErrorInvalidResourceHandle : device().event_destroy(event));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream, unsigned line) {
  return noted("cudaEventRecord", line,
               event == nullptr ? cudaErrorInvalidResourceHandle : device().event_record(event, real(stream)));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event, unsigned line) {
  flush();
  return noted("cudaEventSynchronize", line,
               event == nullptr ? cudaErrorInvalidResourceHandle : device().event_synchronize(event));
}
cudaError_t cudaEventQuery(cudaEvent_t event, unsigned line) {
  return noted("cudaEventQuery", line, event == nullptr ? cudaErrorInvalidResourceHandle : device().event_query(event));
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end, unsigned line) {
  cudaError_t error = cudaErrorInvalidValue;
  if (milliseconds != nullptr)
    error = start == nullptr || end == nullptr ? cudaErrorInvalidResourceHandle
                                               : device().event_elapsed(milliseconds, start, end);
  return noted("cudaEventElapsedTime", line, error);
}

cudaError_t warpcell_program_launch_kernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                           cudaStream_t stream, bool cooperative, unsigned line) {
  ProgramLaunch launch{
      0, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, real(stream), cooperative, arguments};
  return program_runtime->launch(program_runtime->kernel_at(kernel), launch, line);
}

cudaError_t warpcell_program_kernel_attributes(cudaFuncAttributes* attributes, const void* address, unsigned line) {
  auto* kernel = program_runtime->kernel_at(address);
  if (attributes == nullptr) return noted("cudaFuncGetAttributes", line, cudaErrorInvalidValue);
  return noted(
      "cudaFuncGetAttributes", line,
      kernel == nullptr ? cudaErrorInvalidDeviceFunction : device().kernel_attributes(kernel->number, attributes));
}

cudaError_t warpcell_program_set_kernel_attribute(const void* address, cudaFuncAttribute attribute, int value,
                                                  unsigned line) {
  auto* kernel = program_runtime->kernel_at(address);
  cudaError_t error = cudaSuccess;  // a preference, which needs no following
  if (kernel == nullptr)
    error = cudaErrorInvalidDeviceFunction;
  else if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
    error = device().allow_shared(kernel->number, value);
  else if (attribute != cudaFuncAttributePreferredSharedMemoryCarveout)
    error = cudaErrorInvalidValue;
  return noted("cudaFuncSetAttribute", line, error);
}

cudaError_t warpcell_program_active_blocks(int* blocks, const void* address, int threads, size_t shared,
                                           unsigned line) {
  auto* kernel = program_runtime->kernel_at(address);
  cudaError_t error = kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
  if (kernel != nullptr && blocks != nullptr && threads > 0)
    error = device().active_blocks(kernel->number, threads, shared, blocks);
  return noted("cudaOccupancyMaxActiveBlocksPerMultiprocessor", line, error);
}

cudaError_t warpcell_program_best_block(int* grid, int* block, const void* address, size_t shared, int limit,
                                        unsigned line) {
  auto* kernel = program_runtime->kernel_at(address);
  cudaError_t error = kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
  if (kernel != nullptr && grid != nullptr && block != nullptr)
    error = device().best_block(kernel->number, shared, limit, grid, block);
  return noted("cudaOccupancyMaxPotentialBlockSize", line, error);
}

cudaError_t warpcell_program_symbol(const void* variable, void** memory, size_t* bytes, const char* call,
                                    unsigned line) {
  const std::string* symbol = program_runtime->variable_at(variable);
  if (symbol == nullptr) return noted(call, line, cudaErrorInvalidSymbol);
  void* at = nullptr;
  size_t size = 0;
  cudaError_t error = device().variable(*symbol, &at, &size);
  if (memory != nullptr) *memory = at;
  if (bytes != nullptr) *bytes = size;
  return noted(call, line, error);
}

cudaError_t warpcell_program_copy_symbol(const void* variable, void* memory, size_t bytes, size_t offset,
                                         cudaMemcpyKind kind, cudaStream_t stream, bool to_symbol, bool waits,
                                         unsigned line) {
  const char* call = to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
  void* at = nullptr;
  size_t size = 0;
  cudaError_t error = warpcell_program_symbol(variable, &at, &size, call, line);
  if (error != cudaSuccess) return error;
  if (offset > size || bytes > size - offset) return noted(call, line, cudaErrorInvalidValue);
  bool is_direction = kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault ||
                      kind == (to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  if (!is_direction) return noted(call, line, cudaErrorInvalidMemcpyDirection);
  void* place = static_cast<char*>(at) + offset;
  return copy(call, line, to_symbol ? place : memory, bytes, to_symbol ? memory : place, bytes, bytes, 1, kind, stream,
              waits);
}

void* warpcell_program_managed(const char* symbol) {
  void* at = nullptr;
  size_t bytes = 0;
  device().variable(symbol, &at, &bytes);
  return at;
}

void warpcell_program_configure(unsigned line, const unsigned* grid, const unsigned* block, size_t shared,
                                cudaStream_t stream) {
  configured = {line, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, real(stream)};
}

__attribute__((noinline)) void warpcell_program_launch(void** arguments) {
  const Configuration& c = configured;
  ProgramLaunch launch{
      0, {c.grid[0], c.grid[1], c.grid[2]}, {c.block[0], c.block[1], c.block[2]}, c.shared, c.stream, false, arguments};
  auto* kernel = program_runtime->kernel_at(__builtin_return_address(0));
  cudaError_t error = program_runtime->launch(kernel, launch, c.line);
  if (error != cudaSuccess) program_runtime->launch_failed(c.line, error);
}

void warpcell_program_ignored(unsigned line, cudaError_t error) { program_runtime->ignored(line, error); }
