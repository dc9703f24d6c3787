// The CPU as the device of a program: its memory, its streams and graphs, and its kernels on all cores. Work is done
// when it is asked for, by the thread that asks, so streams need nothing to be in order.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../../program.h"
#include "../compile/module.h"
#include "../run/pool.h"
#include "../run/texture_object.h"

namespace warpcell::cpu {

using Step = std::function<cudaError_t()>;

struct ProgramGraph {
  std::vector<Step> steps;  // a node's handle is its place, from 1 on
  std::vector<std::pair<size_t, size_t>> edges;

  // Where each of `handles` stands, from 0 on; false where one is none of its nodes.
  bool places(const cudaGraphNode_t* handles, size_t count, std::vector<size_t>* places) const;
  // The steps in an order that the edges allow, as they were added where those leave a choice; false: there is none.
  bool in_order(std::vector<Step>* ordered) const;
};

struct ProgramStream {
  std::shared_ptr<ProgramGraph> capture;  // null: it does its work
  bool began = false;                     // the capture began here
};

struct ProgramArray {
  TextureTerms terms;
  std::vector<uint8_t> texels;
};

struct ProgramEvent {
  bool timed = true;
  bool recorded = false;
  int64_t reached = 0;                   // nanoseconds
  std::weak_ptr<ProgramGraph> captured;  // it was recorded in a capture, which another stream may join
};

class CpuProgram final : public ProgramDevice {
 public:
  explicit CpuProgram(Control* control);

  void load(const std::string& artifact, const std::vector<std::string>& lowered) override;
  cudaError_t variable(const std::string& symbol, void** memory, size_t* bytes) override;

  cudaError_t properties(cudaDeviceProp* properties) override;
  cudaError_t attribute(int* value, cudaDeviceAttr attribute) override;
  int version() override { return 12000; }
  cudaError_t memory(size_t* free, size_t* total) override;
  cudaError_t synchronize() override { return cudaSuccess; }

  cudaError_t allocate(ProgramMemory kind, size_t bytes, void** memory) override;
  cudaError_t release(ProgramMemory kind, void* memory) override;
  cudaError_t pin(void* memory, size_t bytes) override;
  cudaError_t unpin(void* memory) override;
  cudaMemoryType kind_of(const void* memory) override;
  cudaError_t copy(const ProgramCopy& copy) override;
  cudaError_t fill(const ProgramFill& fill) override;

  cudaError_t array_create(const TextureTerms& terms, cudaArray_t* array) override;
  cudaError_t array_destroy(cudaArray_t array) override;
  cudaError_t array_copy(const ProgramVolume& volume) override;
  cudaError_t texels_create(const TextureTerms& terms, const ProgramTexels& texels,
                            unsigned long long* object) override;
  cudaError_t texels_destroy(unsigned long long object, bool is_surface) override;

  cudaError_t launch(const ProgramLaunch& launch) override;
  cudaError_t kernel_attributes(uint32_t kernel, cudaFuncAttributes* attributes) override;
  cudaError_t allow_shared(uint32_t kernel, int bytes) override;
  cudaError_t active_blocks(uint32_t kernel, int threads, size_t shared, int* blocks) override;
  cudaError_t best_block(uint32_t kernel, size_t shared, int limit, int* grid, int* block) override;

  cudaError_t stream_create(cudaStream_t* stream, unsigned flags) override;
  cudaError_t stream_destroy(cudaStream_t stream) override;
  cudaError_t stream_synchronize(cudaStream_t stream) override;
  cudaError_t stream_query(cudaStream_t stream) override;
  cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event) override;
  cudaError_t call_host(cudaStream_t stream, cudaHostFn_t function, void* data) override;

  cudaError_t event_create(cudaEvent_t* event, unsigned flags) override;
  cudaError_t event_destroy(cudaEvent_t event) override;
  cudaError_t event_record(cudaEvent_t event, cudaStream_t stream) override;
  cudaError_t event_synchronize(cudaEvent_t event) override;
  cudaError_t event_query(cudaEvent_t event) override;
  cudaError_t event_elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) override;

  cudaError_t capture_begin(cudaStream_t stream, cudaStreamCaptureMode mode) override;
  cudaError_t capture_end(cudaStream_t stream, cudaGraph_t* graph) override;
  cudaError_t capture_status(cudaStream_t stream, cudaStreamCaptureStatus* status) override;
  cudaError_t graph_create(cudaGraph_t* graph) override;
  cudaError_t graph_clone(cudaGraph_t* clone, cudaGraph_t graph) override;
  cudaError_t graph_add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                        cudaGraph_t child) override;
  cudaError_t graph_depend(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                           size_t count) override;
  cudaError_t graph_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) override;
  cudaError_t graph_instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) override;
  cudaError_t graph_launch(cudaGraphExec_t executable, cudaStream_t stream) override;
  cudaError_t graph_exec_destroy(cudaGraphExec_t executable) override;
  cudaError_t graph_destroy(cudaGraph_t graph) override;

 private:
  using Turn = std::lock_guard<std::recursive_mutex>;
  struct Memory {
    size_t bytes;
    cudaMemoryType kind;
    void* mapping;  // null: not ours
    size_t mapped;
  };

  // The memory that `address` lies in; null where it is none of the device's.
  const std::pair<const uint64_t, Memory>* find(const void* address) const;
  // What is wrong with one side of a copy; `on_device`: the direction says that it lies there.
  cudaError_t check(const void* address, size_t pitch, size_t width, size_t height, bool is_known,
                    bool on_device) const;
  // Does it now, or when the graph runs that the stream is recorded for.
  cudaError_t perform(cudaStream_t stream, Step step);
  // Null for the default stream; false for what is no stream.
  bool stream_of(cudaStream_t handle, ProgramStream** stream);
  // Bytes of shared memory that a launch may ask for.
  size_t most_shared(uint32_t kernel);
  cudaError_t run(LoadedKernel& kernel, const ProgramLaunch& launch, const std::vector<uint8_t>& packed);

  Pool pool_;
  std::mutex running_;
  mutable std::recursive_mutex tables_;  // all below, which threads of the program share; not held while work is done
  std::unique_ptr<Module> module_;
  std::map<std::string, std::pair<void*, size_t>> variables_;
  std::map<uint32_t, int> allowed_;  // dynamic shared memory by kernel
  std::map<uint64_t, Memory> memory_;
  std::map<cudaArray_t, std::unique_ptr<ProgramArray>> arrays_;
  std::map<unsigned long long, std::unique_ptr<TextureObject>> textures_;
  std::map<cudaStream_t, std::unique_ptr<ProgramStream>> streams_;
  std::map<cudaEvent_t, std::unique_ptr<ProgramEvent>> events_;
  std::map<cudaGraph_t, std::shared_ptr<ProgramGraph>> graphs_;
  std::map<cudaGraphExec_t, std::vector<Step>> executables_;
};

}  // namespace warpcell::cpu
