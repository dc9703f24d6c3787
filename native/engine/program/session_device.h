// The session as the device of host functions: what they launch, copy and fill becomes a part of its step, and is the
// session's to have done, in order with all else; memory is the session's to give.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "../program.h"
#include "host_call.h"

namespace warpcell {

struct HostKernel {
  int max_threads;                                        // of a block
  std::vector<std::pair<uint32_t, uint32_t>> parameters;  // offset and size of each
};

class SessionDevice final : public ProgramDevice {
 public:
  // `facts`: "name value", as host_load in messages.h has them.
  explicit SessionDevice(const std::vector<std::string>& facts);

  void add_kernel(uint32_t number, HostKernel kernel) { kernels_[number] = std::move(kernel); }

  void load(const std::string&, const std::vector<std::string>&) override {}
  cudaError_t variable(const std::string& symbol, void** memory, size_t* bytes) override;

  cudaError_t properties(cudaDeviceProp* properties) override;
  cudaError_t attribute(int* value, cudaDeviceAttr attribute) override;
  int version() override { return 12000; }
  cudaError_t memory(size_t* free, size_t* total) override;
  cudaError_t synchronize() override;

  cudaError_t allocate(ProgramMemory kind, size_t bytes, void** memory) override;
  cudaError_t release(ProgramMemory kind, void* memory) override;
  cudaError_t pin(void*, size_t) override { return cudaSuccess; }
  cudaError_t unpin(void*) override { return cudaSuccess; }
  cudaMemoryType kind_of(const void* memory) override;
  cudaError_t copy(const ProgramCopy& copy) override;
  cudaError_t fill(const ProgramFill& fill) override;

  // Textures are the session's to make.
  cudaError_t array_create(const TextureTerms&, cudaArray_t*) override { return cudaErrorNotSupported; }
  cudaError_t array_destroy(cudaArray_t) override { return cudaErrorInvalidResourceHandle; }
  cudaError_t array_copy(const ProgramVolume&) override { return cudaErrorNotSupported; }
  cudaError_t texels_create(const TextureTerms&, const ProgramTexels&, unsigned long long*) override {
    return cudaErrorNotSupported;
  }
  cudaError_t texels_destroy(unsigned long long, bool) override { return cudaErrorInvalidResourceHandle; }

  cudaError_t launch(const ProgramLaunch& launch) override;
  cudaError_t kernel_attributes(uint32_t kernel, cudaFuncAttributes* attributes) override;
  // The session checks each launch against what the device allows.
  cudaError_t allow_shared(uint32_t, int) override { return cudaSuccess; }
  cudaError_t active_blocks(uint32_t kernel, int threads, size_t shared, int* blocks) override;
  cudaError_t best_block(uint32_t kernel, size_t shared, int limit, int* grid, int* block) override;

  // A function has one stream: that on which the session calls it.
  cudaError_t stream_create(cudaStream_t*, unsigned) override { return cudaErrorNotSupported; }
  cudaError_t stream_destroy(cudaStream_t) override { return cudaErrorInvalidResourceHandle; }
  cudaError_t stream_synchronize(cudaStream_t stream) override;
  cudaError_t stream_query(cudaStream_t stream) override { return stream_synchronize(stream); }
  cudaError_t stream_wait(cudaStream_t, cudaEvent_t) override { return cudaErrorInvalidResourceHandle; }

  cudaError_t call_host(cudaStream_t, cudaHostFn_t, void*) override { return cudaErrorNotSupported; }

  cudaError_t event_create(cudaEvent_t*, unsigned) override { return cudaErrorNotSupported; }
  cudaError_t event_destroy(cudaEvent_t) override { return cudaErrorInvalidResourceHandle; }
  cudaError_t event_record(cudaEvent_t, cudaStream_t) override { return cudaErrorInvalidResourceHandle; }
  cudaError_t event_synchronize(cudaEvent_t) override { return cudaErrorInvalidResourceHandle; }
  cudaError_t event_query(cudaEvent_t) override { return cudaErrorInvalidResourceHandle; }
  cudaError_t event_elapsed(float*, cudaEvent_t, cudaEvent_t) override { return cudaErrorInvalidResourceHandle; }

  cudaError_t capture_begin(cudaStream_t, cudaStreamCaptureMode) override { return cudaErrorNotSupported; }
  cudaError_t capture_end(cudaStream_t, cudaGraph_t*) override { return cudaErrorNotSupported; }
  cudaError_t capture_status(cudaStream_t, cudaStreamCaptureStatus*) override { return cudaErrorNotSupported; }
  cudaError_t graph_create(cudaGraph_t*) override { return cudaErrorNotSupported; }
  cudaError_t graph_clone(cudaGraph_t*, cudaGraph_t) override { return cudaErrorNotSupported; }
  cudaError_t graph_add(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t, cudaGraph_t) override {
    return cudaErrorNotSupported;
  }
  cudaError_t graph_depend(cudaGraph_t, const cudaGraphNode_t*, const cudaGraphNode_t*, size_t) override {
    return cudaErrorNotSupported;
  }
  cudaError_t graph_nodes(cudaGraph_t, cudaGraphNode_t*, size_t*) override { return cudaErrorNotSupported; }
  cudaError_t graph_instantiate(cudaGraphExec_t*, cudaGraph_t) override { return cudaErrorNotSupported; }
  cudaError_t graph_launch(cudaGraphExec_t, cudaStream_t) override { return cudaErrorNotSupported; }
  cudaError_t graph_exec_destroy(cudaGraphExec_t) override { return cudaErrorNotSupported; }
  cudaError_t graph_destroy(cudaGraph_t) override { return cudaErrorNotSupported; }

 private:
  const HostBlock* find(const void* address) const;
  cudaError_t copy_row(char* to, bool to_device, const char* from, bool from_device, size_t bytes);
  // A block with the bytes from an address on: `offset` is where they begin in it. Null: not all of them are in one.
  const HostBlock* range(const void* address, size_t bytes, uint64_t* offset) const;

  std::map<std::string, std::string> facts_;
  std::map<uint32_t, HostKernel> kernels_;
  std::vector<HostBlock> allocated_;
  std::vector<void*> host_;
  uint64_t variables_ = 0;  // addresses for variables, at which nothing lies
};

}  // namespace warpcell
