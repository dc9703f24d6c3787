// A program's kernels and memory on the CPU.
#include "device.h"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>

#include "../../../protocol/commands.h"
#include "../../host/object_symbols.h"
#include "../machine.h"
#include "../run/faults.h"

namespace warpcell {
namespace cpu {
namespace {

// As a GPU of compute capability 8.0 has them; what differs here is said in the guide.
constexpr int kThreadsPerCore = 2048;
constexpr int kBlocksPerCore = 32;
constexpr size_t kSharedPerCore = 228 << 10;
constexpr size_t kSharedOfBlock = 1 << 10;  // that a block takes besides its own
constexpr size_t kAlignment = 256;          // of memory
constexpr size_t kPage = 4096;

// So many that a grid that fills them all can still be launched as one (Pool::kTogetherThreads).
int multiprocessors() { return int(std::min<uint64_t>(usable_cores(), Pool::kTogetherThreads / kThreadsPerCore)); }

const uint32_t* cluster_of(const LoadedKernel& kernel, const ProgramLaunch& launch) {
  return launch.cluster[0] != 0 ? launch.cluster : kernel.cluster;
}

size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

CpuProgram::CpuProgram(Control* control) : pool_(usable_cores()) {
  pool_.adopt_thread();
  install_faults(control);
}

void CpuProgram::load(const std::string& artifact, const std::vector<std::string>& lowered) {
  if (lowered.empty()) return;  // nothing of it is ever used
  module_ = std::make_unique<Module>(artifact, lowered);
  Dl_info object;
  if (dladdr(module_->kernels()[0].description, &object) == 0)
    throw DeviceError("INVALID_IMAGE", "The kernels of the program cannot be found. Run the program again.");
  auto* base = static_cast<char*>(object.dli_fbase);
  for (const ObjectSymbol& symbol : symbols_of(artifact)) {
    if (!symbol.is_function) variables_[symbol.name] = {base + symbol.at, symbol.size};
  }
}

cudaError_t CpuProgram::variable(const std::string& symbol, void** memory, size_t* bytes) {
  Turn turn(tables_);
  auto found = variables_.find(symbol);
  if (found == variables_.end()) return cudaErrorInvalidSymbol;
  *memory = found->second.first;
  *bytes = found->second.second;
  memory_.insert({reinterpret_cast<uint64_t>(*memory), {*bytes, cudaMemoryTypeManaged, nullptr, 0}});
  return cudaSuccess;
}

cudaError_t CpuProgram::properties(cudaDeviceProp* properties) {
  Gauges gauges{};
  sample_machine(gauges);
  cudaDeviceProp& p = *properties;
  p = {};
  std::strncpy(p.name, processor_name().c_str(), sizeof p.name - 1);
  p.totalGlobalMem = size_t(gauges.memory_total);
  p.sharedMemPerBlock = kSharedPerBlock;
  p.sharedMemPerBlockOptin = kSharedPerBlockOptin;
  p.sharedMemPerMultiprocessor = kSharedPerCore;
  p.reservedSharedMemPerBlock = kSharedOfBlock;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = warpcell_cpu::kMaxThreads;
  for (int i = 0; i < 3; i++) {
    p.maxThreadsDim[i] = int(kMaxBlock[i]);
    p.maxGridSize[i] = int(kMaxGrid[i]);
  }
  p.totalConstMem = 64 << 10;
  p.major = 8;
  p.textureAlignment = 512;
  p.multiProcessorCount = multiprocessors();
  p.maxThreadsPerMultiProcessor = kThreadsPerCore;
  p.maxBlocksPerMultiProcessor = kBlocksPerCore;
  p.integrated = p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = 1;
  p.managedMemory = p.concurrentManagedAccess = p.pageableMemoryAccess = p.cooperativeLaunch = 1;
  p.hostNativeAtomicSupported = p.canUseHostPointerForRegisteredMem = p.directManagedMemAccessFromHost = 1;
  p.pageableMemoryAccessUsesHostPageTables = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.computePreemptionSupported = p.memoryPoolsSupported = p.clusterLaunch = 1;
  p.singleToDoublePrecisionPerfRatio = 2;
  p.maxTexture1D = p.maxTexture2D[0] = 131072;
  p.maxTexture2D[1] = 65536;
  p.maxTexture1DLinear = 1 << 28;
  for (int& length : p.maxTexture3D) length = 16384;
  p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768;
  p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = 2048;
  p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  return cudaSuccess;
}

cudaError_t CpuProgram::attribute(int* value, cudaDeviceAttr attribute) {
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
      {cudaDevAttrTotalConstantMemory, int(p.totalConstMem)},
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxPitch, int(p.memPitch)},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrTextureAlignment, int(p.textureAlignment)},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrIntegrated, p.integrated},
      {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
      {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
      {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
      {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
      {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
      {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
      {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
      {cudaDevAttrMaxTexture2DLayeredWidth, p.maxTexture2DLayered[0]},
      {cudaDevAttrMaxTexture2DLayeredHeight, p.maxTexture2DLayered[1]},
      {cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]},
      {cudaDevAttrSurfaceAlignment, int(p.surfaceAlignment)},
      {cudaDevAttrConcurrentKernels, p.concurrentKernels},
      {cudaDevAttrMaxTexture1DLayeredWidth, p.maxTexture1DLayered[0]},
      {cudaDevAttrMaxTexture1DLayeredLayers, p.maxTexture1DLayered[1]},
      {cudaDevAttrTexturePitchAlignment, int(p.texturePitchAlignment)},
      {cudaDevAttrMaxTexture1DLinearWidth, p.maxTexture1DLinear},
      {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
      {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
      {cudaDevAttrHostNativeAtomicSupported, p.hostNativeAtomicSupported},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio},
      {cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables},
      {cudaDevAttrDirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost},
      {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
      {cudaDevAttrClusterLaunch, p.clusterLaunch},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, int(p.sharedMemPerMultiprocessor)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      {cudaDevAttrManagedMemory, p.managedMemory},
      {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
      {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
      {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, int(p.sharedMemPerBlockOptin)},
      {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      {cudaDevAttrReservedSharedMemoryPerBlock, int(p.reservedSharedMemPerBlock)},
  };
  auto found = known.find(attribute);
  *value = found == known.end() ? 0 : found->second;
  return attribute < 1 || attribute > 150 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t CpuProgram::memory(size_t* free, size_t* total) {
  Gauges gauges{};
  sample_machine(gauges);
  if (free != nullptr) *free = size_t(gauges.memory_total - gauges.memory_used);
  if (total != nullptr) *total = size_t(gauges.memory_total);
  return cudaSuccess;
}

// --- memory

const std::pair<const uint64_t, CpuProgram::Memory>* CpuProgram::find(const void* address) const {
  auto at = reinterpret_cast<uint64_t>(address);
  auto behind = memory_.upper_bound(at);
  if (behind == memory_.begin()) return nullptr;
  const auto& entry = *std::prev(behind);
  return at < entry.first + entry.second.bytes ? &entry : nullptr;
}

// Each has pages of its own and one behind that faults, so that what goes beyond it is found as on a GPU, and so is
// what is used after it was freed.
cudaError_t CpuProgram::allocate(ProgramMemory kind, size_t bytes, void** memory) {
  constexpr cudaMemoryType kTypes[] = {cudaMemoryTypeDevice, cudaMemoryTypeHost, cudaMemoryTypeManaged};
  size_t free = 0, total = 0;
  this->memory(&free, &total);
  if (bytes > total) return cudaErrorMemoryAllocation;
  size_t space = rounded(bytes, kAlignment), mapped = rounded(space, kPage) + kPage;
  void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return cudaErrorMemoryAllocation;
  char* end = static_cast<char*>(mapping) + mapped - kPage;
  mprotect(end, kPage, PROT_NONE);
  *memory = end - space;
  Turn turn(tables_);
  memory_[reinterpret_cast<uint64_t>(*memory)] = {bytes, kTypes[int(kind)], mapping, mapped};
  return cudaSuccess;
}

cudaError_t CpuProgram::release(ProgramMemory kind, void* memory) {
  Turn turn(tables_);
  auto found = memory_.find(reinterpret_cast<uint64_t>(memory));
  bool is_host = kind == ProgramMemory::host;
  if (found == memory_.end() || found->second.mapping == nullptr ||
      (found->second.kind == cudaMemoryTypeHost) != is_host)
    return cudaErrorInvalidValue;
  munmap(found->second.mapping, found->second.mapped);
  memory_.erase(found);
  return cudaSuccess;
}

cudaError_t CpuProgram::pin(void* memory, size_t bytes) {
  Turn turn(tables_);
  if (find(memory) != nullptr) return cudaErrorHostMemoryAlreadyRegistered;
  memory_[reinterpret_cast<uint64_t>(memory)] = {bytes, cudaMemoryTypeHost, nullptr, 0};
  return cudaSuccess;
}

cudaError_t CpuProgram::unpin(void* memory) {
  Turn turn(tables_);
  auto found = memory_.find(reinterpret_cast<uint64_t>(memory));
  if (found == memory_.end() || found->second.mapping != nullptr) return cudaErrorHostMemoryNotRegistered;
  memory_.erase(found);
  return cudaSuccess;
}

cudaMemoryType CpuProgram::kind_of(const void* memory) {
  Turn turn(tables_);
  auto* found = find(memory);
  return found == nullptr ? cudaMemoryTypeUnregistered : found->second.kind;
}

cudaError_t CpuProgram::check(const void* address, size_t pitch, size_t width, size_t height, bool is_known,
                              bool on_device) const {
  Turn turn(tables_);
  auto* found = find(address);
  if (found == nullptr) return is_known && on_device ? cudaErrorInvalidValue : cudaSuccess;
  if (is_known && found->second.kind == cudaMemoryTypeDevice && !on_device) return cudaErrorInvalidValue;
  size_t offset = reinterpret_cast<uint64_t>(address) - found->first;
  size_t needed = (height - 1) * pitch + width;
  return needed > found->second.bytes - offset ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t CpuProgram::copy(const ProgramCopy& c) {
  bool is_known = c.kind != cudaMemcpyDefault;
  bool to_device = c.kind == cudaMemcpyHostToDevice || c.kind == cudaMemcpyDeviceToDevice;
  bool from_device = c.kind == cudaMemcpyDeviceToHost || c.kind == cudaMemcpyDeviceToDevice;
  cudaError_t error = check(c.to, c.to_pitch, c.width, c.height, is_known, to_device);
  if (error == cudaSuccess) error = check(c.from, c.from_pitch, c.width, c.height, is_known, from_device);
  if (error != cudaSuccess) return error;
  return perform(c.stream, [c] {
    for (size_t row = 0; row < c.height; row++) {
      std::memmove(static_cast<char*>(c.to) + row * c.to_pitch, static_cast<const char*>(c.from) + row * c.from_pitch,
                   c.width);
    }
    return cudaSuccess;
  });
}

cudaError_t CpuProgram::fill(const ProgramFill& f) {
  cudaError_t error = check(f.memory, f.pitch, f.width, f.height, true, true);
  if (error != cudaSuccess) return error;
  return perform(f.stream, [f] {
    for (size_t row = 0; row < f.height; row++)
      std::memset(static_cast<char*>(f.memory) + row * f.pitch, f.value, f.width);
    return cudaSuccess;
  });
}

// --- kernels

size_t CpuProgram::most_shared(uint32_t kernel) {
  Turn turn(tables_);
  auto allowed = allowed_.find(kernel);
  return allowed == allowed_.end() ? kSharedPerBlock : std::max<size_t>(kSharedPerBlock, allowed->second);
}

cudaError_t CpuProgram::launch(const ProgramLaunch& launch) {
  LoadedKernel& kernel = module_->kernels()[launch.kernel];
  const warpcell_cpu::Kernel& description = *kernel.description;
  uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  uint64_t blocks = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  size_t most = most_shared(launch.kernel);
  if (kernel.shared.own > kSharedPerBlock || launch.shared > most || kernel.shared.own + launch.shared > most)
    return cudaErrorInvalidValue;
  if (launch.cooperative && (blocks > Pool::kTogetherBlocks || blocks * threads > Pool::kTogetherThreads))
    return cudaErrorCooperativeLaunchTooLarge;
  const uint32_t* cluster = cluster_of(kernel, launch);
  if (uint64_t(cluster[0]) * cluster[1] * cluster[2] > warpcell_cpu::kMaxCluster) return cudaErrorInvalidClusterSize;
  for (int axis = 0; axis < 3; axis++)
    if (launch.grid[axis] % cluster[axis] != 0) return cudaErrorInvalidConfiguration;
  if (description.argument_bytes > kMaxArgumentBytes) return cudaErrorInvalidValue;

  std::vector<uint8_t> packed(description.argument_bytes);
  for (uint32_t i = 0; i < description.parameters; i++)
    std::memcpy(packed.data() + description.offsets[i], launch.arguments[i], description.sizes[i]);
  return perform(launch.stream, [this, &kernel, launch, packed] { return run(kernel, launch, packed); });
}

cudaError_t CpuProgram::run(LoadedKernel& kernel, const ProgramLaunch& launch, const std::vector<uint8_t>& packed) {
  std::lock_guard<std::mutex> lock(running_);
  pool_.adopt_thread();
  alignas(64) uint8_t arguments[kMaxArgumentBytes];
  std::memcpy(arguments, packed.data(), packed.size());
  Job job{kernel.description, {}, arguments, uint32_t(launch.shared), launch.cooperative};
  job.stack = kernel.stack;
  const uint32_t* cluster = cluster_of(kernel, launch);
  std::copy(cluster, cluster + 3, job.cluster);
  std::copy(launch.grid, launch.grid + 3, job.geometry.grid);
  std::copy(launch.block, launch.block + 3, job.geometry.block);
  pool_.run(job, kernel.cost);
  return cudaSuccess;
}

cudaError_t CpuProgram::kernel_attributes(uint32_t number, cudaFuncAttributes* attributes) {
  Turn turn(tables_);
  LoadedKernel& kernel = module_->kernels()[number];
  *attributes = {};
  attributes->sharedSizeBytes = kernel.shared.own;
  attributes->maxThreadsPerBlock = int(kernel.description->max_threads);
  attributes->maxDynamicSharedSizeBytes = allowed_.count(number) != 0 ? allowed_[number] : int(kSharedPerBlock);
  attributes->ptxVersion = attributes->binaryVersion = 80;
  return cudaSuccess;
}

cudaError_t CpuProgram::allow_shared(uint32_t kernel, int bytes) {
  Turn turn(tables_);
  if (bytes < 0 || uint32_t(bytes) + module_->kernels()[kernel].shared.own > kSharedPerBlockOptin)
    return cudaErrorInvalidValue;
  allowed_[kernel] = bytes;
  return cudaSuccess;
}

cudaError_t CpuProgram::active_blocks(uint32_t number, int threads, size_t shared, int* blocks) {
  LoadedKernel& kernel = module_->kernels()[number];
  *blocks = 0;
  size_t needed = kernel.shared.own + shared;
  if (unsigned(threads) > kernel.description->max_threads || needed > kSharedPerBlockOptin) return cudaSuccess;
  int by_threads = kThreadsPerCore / int(rounded(size_t(threads), 32));
  int by_shared = int(kSharedPerCore / (rounded(needed, 128) + kSharedOfBlock));
  *blocks = std::min({by_threads, by_shared, kBlocksPerCore});
  return cudaSuccess;
}

// The largest of the blocks that keep most threads of a multiprocessor busy.
cudaError_t CpuProgram::best_block(uint32_t number, size_t shared, int limit, int* grid, int* block) {
  int most = int(module_->kernels()[number].description->max_threads);
  if (limit > 0) most = std::min(most, limit);
  int best = 0, best_blocks = 0;
  for (int threads = int(rounded(size_t(most), 32)); threads > 0; threads -= 32) {
    int tried = std::min(threads, most), blocks = 0;
    active_blocks(number, tried, shared, &blocks);
    if (blocks * tried > best_blocks * best) {
      best = tried;
      best_blocks = blocks;
    }
  }
  *block = best;
  *grid = best_blocks * multiprocessors();
  return best == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

}  // namespace cpu

std::unique_ptr<ProgramDevice> open_cpu_program(int index, Control* control) {
  if (index != 0) {
    throw DeviceError("NO_DEVICE",
                      "There is no device cpu:" + std::to_string(index) + ": the only one of its kind is cpu.");
  }
  return std::make_unique<cpu::CpuProgram>(control);
}

}  // namespace warpcell
