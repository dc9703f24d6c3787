// What a device does for a program with main(): the calls of CUDA's runtime, as far as devices differ in them. One
// process runs one program; engine/program/ is the rest of the runtime, the same for all devices.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../device/program/warpcell_program/texture_types.h"
#include "../device/program/warpcell_program/types.h"
#include "../protocol/commands.h"
#include "device.h"

namespace warpcell {

enum class ProgramMemory { device, host, managed };

struct ProgramLaunch {
  uint32_t kernel;  // by its place among the loaded ones
  uint32_t grid[3];
  uint32_t block[3];
  size_t shared;
  cudaStream_t stream;
  bool cooperative;
  void** arguments;                 // one address per parameter; valid during the call only
  uint32_t line = 0;                // of the launch
  uint32_t cluster[3] = {0, 0, 0};  // blocks, as the launch says it; none: as the kernel does
};

struct ProgramCopy {
  void* to;
  size_t to_pitch;
  const void* from;
  size_t from_pitch;
  size_t width;  // bytes of a row
  size_t height;
  cudaMemcpyKind kind;
  cudaStream_t stream;
  bool waits;  // for its end
};

struct ProgramFill {
  void* memory;
  size_t pitch;
  int value;
  size_t width;
  size_t height;
  cudaStream_t stream;
  bool waits;
};

// A copy of which at least one end is an array; bytes along x.
struct ProgramVolume {
  struct End {
    cudaArray_t array;  // null: memory
    void* memory;
    size_t pitch, height;  // of memory
    size_t x, y, z;
  };
  End to, from;
  size_t width, height, depth;
  cudaMemcpyKind kind;
  cudaStream_t stream;
  bool waits;
};

// What a texture or a surface reads.
struct ProgramTexels {
  cudaArray_t array;  // null: memory
  void* memory;
  size_t pitch;  // 0: one row
};

// A call returns what the program is told; only load() throws.
class ProgramDevice {
 public:
  virtual ~ProgramDevice() = default;

  // Called once, before anything else. Throws DeviceError.
  virtual void load(const std::string& artifact, const std::vector<std::string>& lowered) = 0;
  // A variable of the loaded code.
  virtual cudaError_t variable(const std::string& symbol, void** memory, size_t* bytes) = 0;

  virtual cudaError_t properties(cudaDeviceProp* properties) = 0;
  virtual cudaError_t attribute(int* value, cudaDeviceAttr attribute) = 0;
  virtual int version() = 0;  // of CUDA, as 13000
  virtual cudaError_t memory(size_t* free, size_t* total) = 0;
  virtual cudaError_t synchronize() = 0;

  virtual cudaError_t allocate(ProgramMemory kind, size_t bytes, void** memory) = 0;
  virtual cudaError_t release(ProgramMemory kind, void* memory) = 0;
  virtual cudaError_t pin(void* memory, size_t bytes) = 0;
  virtual cudaError_t unpin(void* memory) = 0;
  virtual cudaMemoryType kind_of(const void* memory) = 0;
  virtual cudaError_t copy(const ProgramCopy& copy) = 0;
  virtual cudaError_t fill(const ProgramFill& fill) = 0;

  virtual cudaError_t array_create(const TextureTerms& terms, cudaArray_t* array) = 0;
  virtual cudaError_t array_destroy(cudaArray_t array) = 0;
  virtual cudaError_t array_copy(const ProgramVolume& volume) = 0;
  // A texture, or a surface.
  virtual cudaError_t texels_create(const TextureTerms& terms, const ProgramTexels& texels,
                                    unsigned long long* object) = 0;
  virtual cudaError_t texels_destroy(unsigned long long object, bool is_surface) = 0;

  virtual cudaError_t launch(const ProgramLaunch& launch) = 0;
  virtual cudaError_t kernel_attributes(uint32_t kernel, cudaFuncAttributes* attributes) = 0;
  virtual cudaError_t allow_shared(uint32_t kernel, int bytes) = 0;
  virtual cudaError_t active_blocks(uint32_t kernel, int threads, size_t shared, int* blocks) = 0;
  virtual cudaError_t best_block(uint32_t kernel, size_t shared, int limit, int* grid, int* block) = 0;

  virtual cudaError_t stream_create(cudaStream_t* stream, unsigned flags) = 0;
  virtual cudaError_t stream_destroy(cudaStream_t stream) = 0;
  virtual cudaError_t stream_synchronize(cudaStream_t stream) = 0;
  virtual cudaError_t stream_query(cudaStream_t stream) = 0;
  virtual cudaError_t stream_wait(cudaStream_t stream, cudaEvent_t event) = 0;
  // Behind what the stream was given before it; what it is given later waits for its end.
  virtual cudaError_t call_host(cudaStream_t stream, cudaHostFn_t function, void* data) = 0;

  virtual cudaError_t event_create(cudaEvent_t* event, unsigned flags) = 0;
  virtual cudaError_t event_destroy(cudaEvent_t event) = 0;
  virtual cudaError_t event_record(cudaEvent_t event, cudaStream_t stream) = 0;
  virtual cudaError_t event_synchronize(cudaEvent_t event) = 0;
  virtual cudaError_t event_query(cudaEvent_t event) = 0;
  virtual cudaError_t event_elapsed(float* milliseconds, cudaEvent_t start, cudaEvent_t end) = 0;

  virtual cudaError_t capture_begin(cudaStream_t stream, cudaStreamCaptureMode mode) = 0;
  virtual cudaError_t capture_end(cudaStream_t stream, cudaGraph_t* graph) = 0;
  virtual cudaError_t capture_status(cudaStream_t stream, cudaStreamCaptureStatus* status) = 0;
  virtual cudaError_t graph_create(cudaGraph_t* graph) = 0;
  virtual cudaError_t graph_clone(cudaGraph_t* clone, cudaGraph_t graph) = 0;
  // A node that runs all of `child` as that is now, behind those that it depends on.
  virtual cudaError_t graph_add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                size_t count, cudaGraph_t child) = 0;
  virtual cudaError_t graph_depend(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                   size_t count) = 0;
  // `nodes` may be null: how many there are.
  virtual cudaError_t graph_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) = 0;
  virtual cudaError_t graph_instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) = 0;
  virtual cudaError_t graph_launch(cudaGraphExec_t executable, cudaStream_t stream) = 0;
  virtual cudaError_t graph_exec_destroy(cudaGraphExec_t executable) = 0;
  virtual cudaError_t graph_destroy(cudaGraph_t graph) = 0;
};

// `control` gets the error record of a fault that ends the process. Throw DeviceError.
std::unique_ptr<ProgramDevice> open_cpu_program(int index, Control* control);
std::unique_ptr<ProgramDevice> open_cuda_program(int index, Control* control);

// Compiles the host code of a program with this machine's C++ compiler.
struct HostCompiled {
  std::string object;  // a shared object
  std::string log;
  std::vector<std::string> dependencies;
};
// Throws DeviceError: COMPILE with the compiler's log, NO_COMPILER, FILE, NO_PROCESS.
HostCompiled compile_host(const CompileRequest& request);

// warpcell-device program …: compiles host code, or runs a program. Returns the exit status.
int run_program_command(int count, char** arguments);

}  // namespace warpcell
