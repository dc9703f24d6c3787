// A GPU as the device of a program: what CUDA's runtime does, by calls of the driver. Its results have the numbers that
// the runtime's errors have.
#include <algorithm>
#include <cstring>

#include "../../program.h"
#include "../compile/artifact.h"
#include "../driver/textures.h"
#include "driver_functions.h"

namespace warpcell {
namespace cuda {
namespace {

constexpr size_t kPrintfBytes = 64u << 20;

DevicePointer pointer(const void* memory) { return reinterpret_cast<DevicePointer>(memory); }
Stream handle(cudaStream_t stream) { return reinterpret_cast<Stream>(stream); }
ArrayHandle handle(cudaArray_t array) { return reinterpret_cast<ArrayHandle>(array); }
Event handle(cudaEvent_t event) { return reinterpret_cast<Event>(event); }
GraphHandle handle(cudaGraph_t graph) { return reinterpret_cast<GraphHandle>(graph); }
GraphExecutable handle(cudaGraphExec_t executable) { return reinterpret_cast<GraphExecutable>(executable); }

class CudaProgram final : public ProgramDevice {
 public:
  explicit CudaProgram(int index) : api_(driver()), more_(program_functions()) {
    int count = 0;
    api_.check(api_.cuDeviceGetCount(&count), "counting the devices");
    if (index < 0 || index >= count)
      throw DeviceError("NO_DEVICE", "There is no GPU " + std::to_string(index) + ": this machine has " +
                                         std::to_string(count) + ", numbered from 0.");
    api_.check(api_.cuDeviceGet(&device_, index), "opening the device");
    api_.check(api_.cuDevicePrimaryCtxRetain(&context_, device_), "making a context");
    api_.check(api_.cuCtxSetCurrent(context_), "making a context");
    api_.cuCtxSetLimit(kLimitPrintf, kPrintfBytes);  // a driver that knows no such limit keeps its own
  }

  void load(const std::string& artifact, const std::vector<std::string>& lowered) override {
    if (lowered.empty()) return;
    Artifact code = read_artifact(artifact);
    api_.check(api_.cuModuleLoadData(&module_, code.image().c_str()), "loading the kernels of the program");
    for (const std::string& name : lowered) {
      Function function = nullptr;
      api_.check(api_.cuModuleGetFunction(&function, module_, name.c_str()), "loading the kernels of the program");
      kernels_.push_back(function);
    }
  }

  cudaError_t variable(const std::string& symbol, void** memory, size_t* bytes) override {
    DevicePointer at = 0;
    if (module_ == nullptr || call(more_.cuModuleGetGlobal, &at, bytes, module_, symbol.c_str()) != cudaSuccess)
      return cudaErrorInvalidSymbol;
    *memory = reinterpret_cast<void*>(at);
    return cudaSuccess;
  }

  cudaError_t properties(cudaDeviceProp* properties) override;
  cudaError_t attribute(int* value, cudaDeviceAttr attribute) override {
    return call(api_.cuDeviceGetAttribute, value, DeviceAttribute(attribute), device_);
  }
  int version() override { return api_.version; }
  cudaError_t memory(size_t* free, size_t* total) override {
    size_t some_free = 0, all = 0;
    cudaError_t error = call(api_.cuMemGetInfo, &some_free, &all);
    if (free != nullptr) *free = some_free;
    if (total != nullptr) *total = all;
    return error;
  }
  cudaError_t synchronize() override { return call(more_.cuCtxSynchronize); }

  cudaError_t allocate(ProgramMemory kind, size_t bytes, void** memory) override {
    if (kind == ProgramMemory::host) return call(more_.cuMemHostAlloc, memory, bytes, kHostPortableMapped);
    DevicePointer at = 0;
    cudaError_t error = kind == ProgramMemory::device ? call(api_.cuMemAlloc, &at, bytes)
                                                      : call(more_.cuMemAllocManaged, &at, bytes, kManagedGlobal);
    *memory = reinterpret_cast<void*>(at);
    return error;
  }
  cudaError_t release(ProgramMemory kind, void* memory) override {
    return kind == ProgramMemory::host ? call(more_.cuMemFreeHost, memory) : call(api_.cuMemFree, pointer(memory));
  }
  cudaError_t pin(void* memory, size_t bytes) override {
    return call(api_.cuMemHostRegister, memory, bytes, kHostPortableMapped);
  }
  cudaError_t unpin(void* memory) override { return call(api_.cuMemHostUnregister, memory); }
  cudaMemoryType kind_of(const void* memory) override {
    int type = 0;
    unsigned managed = 0;
    if (call(more_.cuPointerGetAttribute, &type, kPointerMemoryType, pointer(memory)) != cudaSuccess)
      return cudaMemoryTypeUnregistered;
    call(more_.cuPointerGetAttribute, &managed, kPointerIsManaged, pointer(memory));
    if (managed != 0) return cudaMemoryTypeManaged;
    return type == kTypeHost ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  }

  cudaError_t copy(const ProgramCopy& c) override {
    if (c.height > 1) return copy_rows(c);
    DevicePointer to = pointer(c.to), from = pointer(c.from);
    Stream stream = handle(c.stream);
    size_t bytes = c.width;
    switch (c.kind) {
      case cudaMemcpyHostToDevice:
        return c.waits ? call(more_.cuMemcpyHtoD, to, c.from, bytes)
                       : call(more_.cuMemcpyHtoDAsync, to, c.from, bytes, stream);
      case cudaMemcpyDeviceToHost:
        return c.waits ? call(more_.cuMemcpyDtoH, c.to, from, bytes)
                       : call(more_.cuMemcpyDtoHAsync, c.to, from, bytes, stream);
      case cudaMemcpyDeviceToDevice:
        return c.waits ? call(more_.cuMemcpyDtoD, to, from, bytes)
                       : call(more_.cuMemcpyDtoDAsync, to, from, bytes, stream);
      default:
        return c.waits ? call(more_.cuMemcpy, to, from, bytes) : call(api_.cuMemcpyAsync, to, from, bytes, stream);
    }
  }

  cudaError_t fill(const ProgramFill& f) override {
    DevicePointer at = pointer(f.memory);
    auto value = static_cast<unsigned char>(f.value);
    Stream stream = handle(f.stream);
    if (f.height > 1) {
      return f.waits ? call(more_.cuMemsetD2D8, at, f.pitch, value, f.width, f.height)
                     : call(more_.cuMemsetD2D8Async, at, f.pitch, value, f.width, f.height, stream);
    }
    return f.waits ? call(more_.cuMemsetD8, at, value, f.width)
                   : call(api_.cuMemsetD8Async, at, value, f.width, stream);
  }

  cudaError_t array_create(const TextureTerms& terms, cudaArray_t* array) override {
    ArrayDescription description = array_description(terms);
    return call(api_.cuArray3DCreate, reinterpret_cast<ArrayHandle*>(array), &description);
  }
  cudaError_t array_destroy(cudaArray_t array) override { return call(api_.cuArrayDestroy, handle(array)); }
  cudaError_t array_copy(const ProgramVolume& v) override {
    bool to_host = v.kind == cudaMemcpyDeviceToHost || v.kind == cudaMemcpyHostToHost;
    bool from_host = v.kind == cudaMemcpyHostToDevice || v.kind == cudaMemcpyHostToHost;
    auto end_of = [&](const ProgramVolume::End& end, bool on_host) {
      MemoryEnd made{};
      made.x = end.x;
      made.y = end.y;
      made.z = end.z;
      made.type = end.array != nullptr          ? kMemoryArray
                  : v.kind == cudaMemcpyDefault ? kMemoryUnified
                  : on_host                     ? kMemoryHost
                                                : kMemoryDevice;
      made.host = end.memory;
      made.device = pointer(end.memory);
      made.array = handle(end.array);
      made.pitch = end.pitch;
      made.height = end.height;
      return made;
    };
    const CopyDescription description{end_of(v.from, from_host), end_of(v.to, to_host), v.width, v.height, v.depth};
    cudaError_t error = call(api_.cuMemcpy3DAsync, &description, handle(v.stream));
    return error == cudaSuccess && v.waits ? call(api_.cuStreamSynchronize, handle(v.stream)) : error;
  }
  cudaError_t texels_create(const TextureTerms& terms, const ProgramTexels& texels,
                            unsigned long long* object) override {
    ResourceDescription resource{};
    if (texels.array != nullptr) {
      resource.type = kResourceArray;
      resource.array = handle(texels.array);
    } else if (terms.is_linear_memory) {
      resource.type = kResourceLinear;
      resource.linear = {pointer(texels.memory), format_of(terms.texel), terms.channels, size_t(terms.bytes())};
    } else {
      resource.type = kResourceRows;
      resource.rows = {pointer(texels.memory), format_of(terms.texel), terms.channels,
                       size_t(terms.size[0]),  size_t(terms.size[1]),  texels.pitch};
    }
    uint64_t made = 0;
    TextureDescription description = texture_description(terms);
    cudaError_t error = terms.is_surface ? call(api_.cuSurfObjectCreate, &made, &resource)
                                         : call(api_.cuTexObjectCreate, &made, &resource, &description, nullptr);
    *object = made;
    return error;
  }
  cudaError_t texels_destroy(unsigned long long object, bool is_surface) override {
    return is_surface ? call(api_.cuSurfObjectDestroy, uint64_t(object))
                      : call(api_.cuTexObjectDestroy, uint64_t(object));
  }

  cudaError_t launch(const ProgramLaunch& l) override {
    Function function = kernels_[l.kernel];
    const uint32_t *g = l.grid, *b = l.block;
    auto shared = unsigned(l.shared);
    if (l.shared > 0x7fffffff) return cudaErrorInvalidValue;
    if (l.cluster[0] != 0) return launch_clusters(function, l);
    if (l.cooperative)
      return call(api_.cuLaunchCooperativeKernel, function, g[0], g[1], g[2], b[0], b[1], b[2], shared,
                  handle(l.stream), l.arguments);
    return call(api_.cuLaunchKernel, function, g[0], g[1], g[2], b[0], b[1], b[2], shared, handle(l.stream),
                l.arguments, nullptr);
  }

  cudaError_t launch_clusters(Function function, const ProgramLaunch& l) {
    LaunchAttribute attributes[2]{};
    attributes[0].id = kLaunchCluster;
    std::copy(l.cluster, l.cluster + 3, attributes[0].value);
    attributes[1].id = kLaunchCooperative;
    attributes[1].value[0] = 1;
    LaunchConfiguration configuration{};
    std::copy(l.grid, l.grid + 3, configuration.grid);
    std::copy(l.block, l.block + 3, configuration.block);
    configuration.shared = unsigned(l.shared);
    configuration.stream = handle(l.stream);
    configuration.attributes = attributes;
    configuration.attribute_count = l.cooperative ? 2 : 1;
    return call(api_.cuLaunchKernelEx, &configuration, function, l.arguments, nullptr);
  }

  cudaError_t kernel_attributes(uint32_t kernel, cudaFuncAttributes* attributes) override {
    auto value = [&](FunctionAttribute name) {
      int result = 0;
      call(api_.cuFuncGetAttribute, &result, name, kernels_[kernel]);
      return result;
    };
    *attributes = {};
    attributes->sharedSizeBytes = size_t(value(FunctionAttribute::shared));
    attributes->constSizeBytes = size_t(value(FunctionAttribute::constant));
    attributes->localSizeBytes = size_t(value(FunctionAttribute::local));
    attributes->maxThreadsPerBlock = value(FunctionAttribute::max_threads);
    attributes->numRegs = value(FunctionAttribute::registers);
    attributes->ptxVersion = attributes->binaryVersion = value(FunctionAttribute::binary);
    attributes->maxDynamicSharedSizeBytes = value(FunctionAttribute::max_dynamic_shared);
    return cudaSuccess;
  }
  cudaError_t allow_shared(uint32_t kernel, int bytes) override {
    return call(api_.cuFuncSetAttribute, kernels_[kernel], FunctionAttribute::max_dynamic_shared, bytes);
  }
  cudaError_t active_blocks(uint32_t kernel, int threads, size_t shared, int* blocks) override {
    return call(api_.cuOccupancyMaxActiveBlocksPerMultiprocessor, blocks, kernels_[kernel], threads, shared);
  }
  cudaError_t best_block(uint32_t kernel, size_t shared, int limit, int* grid, int* block) override {
    return call(api_.cuOccupancyMaxPotentialBlockSize, grid, block, kernels_[kernel], SharedOfBlock(nullptr), shared,
                limit);
  }

  cudaError_t stream_create(cudaStream_t* stream, unsigned flags) override {
    return call(api_.cuStreamCreate, reinterpret_cast<Stream*>(stream), flags);
  }
  cudaError_t stream_destroy(cudaStream_t stream) override { return call(more_.cuStreamDestroy, handle(stream)); }
  cudaError_t stream_synchronize(cudaStream_t stream) override {
    return call(api_.cuStreamSynchronize, handle(stream));
  }
  cudaError_t stream_query(cudaStream_t stream) override { return call(api_.cuStreamQuery, handle(stream)); }
  cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event) override {
    return call(api_.cuStreamWaitEvent, handle(stream), handle(event), 0u);
  }
  cudaError_t call_host(cudaStream_t stream, cudaHostFn_t function, void* data) override {
    return call(more_.cuLaunchHostFunc, handle(stream), function, data);
  }

  cudaError_t event_create(cudaEvent_t* event, unsigned flags) override {
    return call(api_.cuEventCreate, reinterpret_cast<Event*>(event), flags);
  }
  cudaError_t event_destroy(cudaEvent_t event) override { return call(api_.cuEventDestroy, handle(event)); }
  cudaError_t event_record(cudaEvent_t event, cudaStream_t stream) override {
    return call(api_.cuEventRecord, handle(event), handle(stream));
  }
  cudaError_t event_synchronize(cudaEvent_t event) override { return call(api_.cuEventSynchronize, handle(event)); }
  cudaError_t event_query(cudaEvent_t event) override { return call(api_.cuEventQuery, handle(event)); }
  cudaError_t event_elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) override {
    return call(api_.cuEventElapsedTime, milliseconds, handle(start), handle(end));
  }

  cudaError_t capture_begin(cudaStream_t stream, cudaStreamCaptureMode mode) override {
    return call(api_.cuStreamBeginCapture, handle(stream), int(mode));
  }
  cudaError_t capture_end(cudaStream_t stream, cudaGraph_t* graph) override {
    return call(api_.cuStreamEndCapture, handle(stream), reinterpret_cast<GraphHandle*>(graph));
  }
  cudaError_t capture_status(cudaStream_t stream, cudaStreamCaptureStatus* status) override {
    int value = 0;
    cudaError_t error = call(more_.cuStreamIsCapturing, handle(stream), &value);
    *status = cudaStreamCaptureStatus(value);
    return error;
  }
  cudaError_t graph_create(cudaGraph_t* graph) override {
    return call(more_.cuGraphCreate, reinterpret_cast<GraphHandle*>(graph), 0u);
  }
  cudaError_t graph_clone(cudaGraph_t* clone, cudaGraph_t graph) override {
    return call(more_.cuGraphClone, reinterpret_cast<GraphHandle*>(clone), handle(graph));
  }
  cudaError_t graph_add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                        cudaGraph_t child) override {
    return call(more_.cuGraphAddChildGraphNode, reinterpret_cast<GraphNode*>(node), handle(graph),
                reinterpret_cast<const GraphNode*>(dependencies), count, handle(child));
  }
  cudaError_t graph_depend(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                           size_t count) override {
    return call(more_.cuGraphAddDependencies, handle(graph), reinterpret_cast<const GraphNode*>(from),
                reinterpret_cast<const GraphNode*>(to), count);
  }
  cudaError_t graph_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) override {
    return call(more_.cuGraphGetNodes, handle(graph), reinterpret_cast<GraphNode*>(nodes), count);
  }
  cudaError_t graph_instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) override {
    return call(api_.cuGraphInstantiate, reinterpret_cast<GraphExecutable*>(executable), handle(graph), 0ull);
  }
  cudaError_t graph_launch(cudaGraphExec_t executable, cudaStream_t stream) override {
    return call(api_.cuGraphLaunch, handle(executable), handle(stream));
  }
  cudaError_t graph_exec_destroy(cudaGraphExec_t executable) override {
    return call(api_.cuGraphExecDestroy, handle(executable));
  }
  cudaError_t graph_destroy(cudaGraph_t graph) override { return call(api_.cuGraphDestroy, handle(graph)); }

 private:
  // Also from a thread that the program has made, which has no context yet.
  template <class... Parameters, class... Arguments>
  cudaError_t call(Result (*function)(Parameters...), Arguments... arguments) {
    static thread_local bool is_current = false;
    if (!is_current) is_current = api_.cuCtxSetCurrent(context_) == kSuccess;
    return cudaError_t(function(arguments...));
  }

  cudaError_t copy_rows(const ProgramCopy& c) {
    bool to_host = c.kind == cudaMemcpyDeviceToHost || c.kind == cudaMemcpyHostToHost;
    bool from_host = c.kind == cudaMemcpyHostToDevice || c.kind == cudaMemcpyHostToHost;
    bool is_default = c.kind == cudaMemcpyDefault;
    Copy2d rows{};
    rows.source_type = is_default ? kTypeUnified : from_host ? kTypeHost : kTypeDevice;
    rows.source_host = c.from;
    rows.source_device = pointer(c.from);
    rows.source_pitch = c.from_pitch;
    rows.to_type = is_default ? kTypeUnified : to_host ? kTypeHost : kTypeDevice;
    rows.to_host = c.to;
    rows.to_device = pointer(c.to);
    rows.to_pitch = c.to_pitch;
    rows.width = c.width;
    rows.height = c.height;
    const Copy2d* given = &rows;
    return c.waits ? call(more_.cuMemcpy2D, given) : call(more_.cuMemcpy2DAsync, given, handle(c.stream));
  }

  const DriverApi& api_;
  const ProgramFunctions& more_;
  DeviceHandle device_ = 0;
  Context context_ = nullptr;
  Module module_ = nullptr;
  std::vector<Function> kernels_;
};

cudaError_t CudaProgram::properties(cudaDeviceProp* properties) {
  cudaDeviceProp& p = *properties;
  p = {};
  call(api_.cuDeviceGetName, p.name, int(sizeof p.name), device_);
  call(api_.cuDeviceTotalMem, &p.totalGlobalMem, device_);
  auto value = [&](cudaDeviceAttr name) {
    int result = 0;
    attribute(&result, name);
    return result;
  };
  p.sharedMemPerBlock = size_t(value(cudaDevAttrMaxSharedMemoryPerBlock));
  p.regsPerBlock = value(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = value(cudaDevAttrWarpSize);
  p.memPitch = size_t(value(cudaDevAttrMaxPitch));
  p.maxThreadsPerBlock = value(cudaDevAttrMaxThreadsPerBlock);
  for (int i = 0; i < 3; i++) {
    p.maxThreadsDim[i] = value(cudaDeviceAttr(cudaDevAttrMaxBlockDimX + i));
    p.maxGridSize[i] = value(cudaDeviceAttr(cudaDevAttrMaxGridDimX + i));
  }
  p.totalConstMem = size_t(value(cudaDevAttrTotalConstantMemory));
  p.major = value(cudaDevAttrComputeCapabilityMajor);
  p.minor = value(cudaDevAttrComputeCapabilityMinor);
  p.textureAlignment = size_t(value(cudaDevAttrTextureAlignment));
  p.multiProcessorCount = value(cudaDevAttrMultiProcessorCount);
  p.integrated = value(cudaDevAttrIntegrated);
  p.canMapHostMemory = value(cudaDevAttrCanMapHostMemory);
  p.concurrentKernels = value(cudaDevAttrConcurrentKernels);
  p.ECCEnabled = value(cudaDevAttrEccEnabled);
  p.pciBusID = value(cudaDevAttrPciBusId);
  p.pciDeviceID = value(cudaDevAttrPciDeviceId);
  p.pciDomainID = value(cudaDevAttrPciDomainId);
  p.tccDriver = value(cudaDevAttrTccDriver);
  p.asyncEngineCount = value(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = value(cudaDevAttrUnifiedAddressing);
  p.memoryBusWidth = value(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = value(cudaDevAttrL2CacheSize);
  p.maxThreadsPerMultiProcessor = value(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.streamPrioritiesSupported = value(cudaDevAttrStreamPrioritiesSupported);
  p.sharedMemPerMultiprocessor = size_t(value(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  p.regsPerMultiprocessor = value(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.managedMemory = value(cudaDevAttrManagedMemory);
  p.concurrentManagedAccess = value(cudaDevAttrConcurrentManagedAccess);
  p.pageableMemoryAccess = value(cudaDevAttrPageableMemoryAccess);
  p.cooperativeLaunch = value(cudaDevAttrCooperativeLaunch);
  p.sharedMemPerBlockOptin = size_t(value(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  p.maxBlocksPerMultiProcessor = value(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.reservedSharedMemPerBlock = size_t(value(cudaDevAttrReservedSharedMemoryPerBlock));
  p.maxTexture1D = value(cudaDevAttrMaxTexture1DWidth);
  for (int i = 0; i < 2; i++) {
    p.maxTexture2D[i] = value(cudaDeviceAttr(cudaDevAttrMaxTexture2DWidth + i));
    p.maxTexture1DLayered[i] = value(cudaDeviceAttr(cudaDevAttrMaxTexture1DLayeredWidth + i));
  }
  for (int i = 0; i < 3; i++) {
    p.maxTexture3D[i] = value(cudaDeviceAttr(cudaDevAttrMaxTexture3DWidth + i));
    p.maxTexture2DLayered[i] = value(cudaDeviceAttr(cudaDevAttrMaxTexture2DLayeredWidth + i));
  }
  p.maxTexture1DLinear = value(cudaDevAttrMaxTexture1DLinearWidth);
  p.texturePitchAlignment = size_t(value(cudaDevAttrTexturePitchAlignment));
  p.surfaceAlignment = size_t(value(cudaDevAttrSurfaceAlignment));
  p.globalL1CacheSupported = value(cudaDevAttrGlobalL1CacheSupported);
  p.localL1CacheSupported = value(cudaDevAttrLocalL1CacheSupported);
  p.isMultiGpuBoard = value(cudaDevAttrIsMultiGpuBoard);
  p.hostNativeAtomicSupported = value(cudaDevAttrHostNativeAtomicSupported);
  p.singleToDoublePrecisionPerfRatio = value(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  p.computePreemptionSupported = value(cudaDevAttrComputePreemptionSupported);
  p.canUseHostPointerForRegisteredMem = value(cudaDevAttrCanUseHostPointerForRegisteredMem);
  p.pageableMemoryAccessUsesHostPageTables = value(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  p.directManagedMemAccessFromHost = value(cudaDevAttrDirectManagedMemAccessFromHost);
  p.persistingL2CacheMaxSize = value(cudaDevAttrMaxPersistingL2CacheSize);
  p.accessPolicyMaxWindowSize = value(cudaDevAttrMaxAccessPolicyWindowSize);
  p.memoryPoolsSupported = value(cudaDevAttrMemoryPoolsSupported);
  p.clusterLaunch = value(cudaDevAttrClusterLaunch);
  p.clockRate = value(cudaDevAttrClockRate);
  p.memoryClockRate = value(cudaDevAttrMemoryClockRate);
  p.computeMode = value(cudaDevAttrComputeMode);
  p.kernelExecTimeoutEnabled = value(cudaDevAttrKernelExecTimeout);
  p.deviceOverlap = p.asyncEngineCount > 0;
  return cudaSuccess;
}

}  // namespace
}  // namespace cuda

std::unique_ptr<ProgramDevice> open_cuda_program(int index, Control*) {
  return std::make_unique<cuda::CudaProgram>(index);
}

}  // namespace warpcell
