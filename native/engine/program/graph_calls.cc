// The functions of CUDA's runtime about graphs. A node that a program adds is recorded as a graph of its own, which the
// device takes as a child: so its arguments are copied as those of a launch are.
#include <cstdio>

#include "../../device/program/warpcell_program/graphs.h"
#include "../../device/program/warpcell_program/textures.h"
#include "runtime.h"

using warpcell::program_runtime;
using warpcell::ProgramLaunch;
using warpcell::real;

namespace {

warpcell::ProgramDevice& device() { return program_runtime->device; }

cudaError_t noted(const char* call, unsigned line, cudaError_t error) {
  return program_runtime->note(call, line, error);
}

// What `give` gives to a stream, as a graph.
template <class Give>
cudaError_t record(const Give& give, cudaGraph_t* graph) {
  constexpr unsigned kNonBlocking = 1;
  cudaStream_t stream = nullptr;
  cudaError_t error = device().stream_create(&stream, kNonBlocking);
  if (error != cudaSuccess) return error;
  error = device().capture_begin(stream, cudaStreamCaptureModeRelaxed);
  if (error == cudaSuccess) {
    error = give(stream);
    cudaError_t ended = device().capture_end(stream, graph);
    if (error == cudaSuccess) error = ended;
  }
  device().stream_destroy(stream);
  return error;
}

struct Place {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* dependencies;
  size_t count;
  bool is_wrong() const { return node == nullptr || graph == nullptr || (count > 0 && dependencies == nullptr); }
};

template <class Give>
cudaError_t add(const char* call, unsigned line, const Place& at, bool is_wrong, const Give& give) {
  if (is_wrong || at.is_wrong()) return noted(call, line, cudaErrorInvalidValue);
  cudaGraph_t part = nullptr;
  cudaError_t error = record(give, &part);
  if (error == cudaSuccess) error = device().graph_add(at.node, at.graph, at.dependencies, at.count, part);
  if (part != nullptr) device().graph_destroy(part);
  return noted(call, line, error);
}

// Whether all bytes of an element are the same, so that it is a fill of bytes.
bool is_of_bytes(const cudaMemsetParams& fill) {
  unsigned low = fill.value & 0xff;
  return fill.elementSize == 1 || (fill.elementSize == 2 && (fill.value & 0xffff) == low * 0x101) ||
         (fill.elementSize == 4 && fill.value == low * 0x1010101u);
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode, unsigned line) {
  return noted("cudaStreamBeginCapture", line,
               real(stream) == nullptr ? cudaErrorStreamCaptureUnsupported : device().capture_begin(stream, mode));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph, unsigned line) {
  return noted("cudaStreamEndCapture", line,
               graph == nullptr ? cudaErrorInvalidValue : device().capture_end(real(stream), graph));
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned line) {
  return noted("cudaStreamIsCapturing", line,
               status == nullptr ? cudaErrorInvalidValue : device().capture_status(real(stream), status));
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long,
                                          unsigned line) {
  bool is_wrong = executable == nullptr || graph == nullptr;
  return noted("cudaGraphInstantiate", line,
               is_wrong ? cudaErrorInvalidValue : device().graph_instantiate(executable, graph));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream, unsigned line) {
  std::fflush(stdout);  // what its kernels print comes after that
  return noted("cudaGraphLaunch", line,
               executable == nullptr ? cudaErrorInvalidValue : device().graph_launch(executable, real(stream)));
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count, unsigned line) {
  bool is_wrong = graph == nullptr || count == nullptr;
  if (is_wrong) return noted("cudaGraphGetNodes", line, cudaErrorInvalidValue);
  return noted("cudaGraphGetNodes", line, device().graph_nodes(graph, nodes, count));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t, unsigned line) {
  return noted("cudaGraphUpload", line, executable == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph, unsigned line) {
  bool is_wrong = clone == nullptr || graph == nullptr;
  return noted("cudaGraphClone", line, is_wrong ? cudaErrorInvalidValue : device().graph_clone(clone, graph));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable, unsigned line) {
  return noted("cudaGraphExecDestroy", line,
               executable == nullptr ? cudaErrorInvalidValue : device().graph_exec_destroy(executable));
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph, unsigned line) {
  return noted("cudaGraphDestroy", line, graph == nullptr ? cudaErrorInvalidValue : device().graph_destroy(graph));
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags, unsigned line) {
  bool is_wrong = graph == nullptr || flags != 0;
  return noted("cudaGraphCreate", line, is_wrong ? cudaErrorInvalidValue : device().graph_create(graph));
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaKernelNodeParams* kernel, unsigned line) {
  bool is_wrong = kernel == nullptr || kernel->extra != nullptr;
  return add("cudaGraphAddKernelNode", line, {node, graph, dependencies, count}, is_wrong, [&](cudaStream_t stream) {
    const dim3 &grid = kernel->gridDim, &block = kernel->blockDim;
    ProgramLaunch launch{0,     {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, kernel->sharedMemBytes, stream,
                         false, kernel->kernelParams};
    return program_runtime->launch(program_runtime->kernel_at(kernel->func), launch, line);
  });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemcpy3DParms* copy, unsigned line) {
  return add("cudaGraphAddMemcpyNode", line, {node, graph, dependencies, count}, copy == nullptr,
             [&](cudaStream_t stream) { return cudaMemcpy3DAsync(copy, stream, line); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                     unsigned line) {
  return add("cudaGraphAddMemcpyNode1D", line, {node, graph, dependencies, count}, false,
             [&](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream, line); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemsetParams* fill, unsigned line) {
  bool is_wrong = fill == nullptr || fill->dst == nullptr || fill->width == 0 || fill->height == 0 ||
                  (fill->height > 1 && fill->pitch < fill->width * fill->elementSize);
  if (!is_wrong && !is_of_bytes(*fill)) return noted("cudaGraphAddMemsetNode", line, cudaErrorNotSupported);
  return add("cudaGraphAddMemsetNode", line, {node, graph, dependencies, count}, is_wrong, [&](cudaStream_t stream) {
    return device().fill({fill->dst, fill->pitch, int(fill->value & 0xff), fill->width * fill->elementSize,
                          fill->height, stream, false});
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, const cudaHostNodeParams* call, unsigned line) {
  bool is_wrong = call == nullptr || call->fn == nullptr;
  return add("cudaGraphAddHostNode", line, {node, graph, dependencies, count}, is_wrong,
             [&](cudaStream_t stream) { return device().call_host(stream, call->fn, call->userData); });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t count, unsigned line) {
  return add("cudaGraphAddEmptyNode", line, {node, graph, dependencies, count}, false,
             [](cudaStream_t) { return cudaSuccess; });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child, unsigned line) {
  bool is_wrong = child == nullptr || child == graph || Place{node, graph, dependencies, count}.is_wrong();
  return noted("cudaGraphAddChildGraphNode", line,
               is_wrong ? cudaErrorInvalidValue : device().graph_add(node, graph, dependencies, count, child));
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count, unsigned line) {
  bool is_wrong = graph == nullptr || (count > 0 && (from == nullptr || to == nullptr));
  return noted("cudaGraphAddDependencies", line,
               is_wrong ? cudaErrorInvalidValue : device().graph_depend(graph, from, to, count));
}
