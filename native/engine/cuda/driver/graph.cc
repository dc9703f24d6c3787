// Captures work into a graph of the driver.
#include "graph.h"

#include "faults.h"

namespace warpcell::cuda {

CapturedGraph::CapturedGraph(const DriverApi& api, Modules& modules, Streams& streams, size_t count,
                             const std::function<void(size_t)>& give)
    : api_(api), modules_(modules), streams_(streams) {
  WorkStream& stream = streams.at(0);
  WatchedStretch stretch(stream.watcher(), Stretch::foreign);
  StreamWatcher* watcher = stream.watcher();
  stream.watch(nullptr);
  try {
    capture(stream, count, give);
  } catch (...) {
    stream.watch(watcher);
    throw;
  }
  stream.watch(watcher);
  Result result = api_.cuGraphInstantiate(&executable_, graph_, 0);
  if (result == kSuccess) return;
  api_.cuGraphDestroy(graph_);
  api_.check(result, "making a graph");
}

void CapturedGraph::capture(WorkStream& stream, size_t count, const std::function<void(size_t)>& give) {
  stream.begin_capture();
  try {
    for (size_t index = 0; index < count; index++) {
      give(index);
      nodes_.push_back(stream.last_captured());
    }
  } catch (...) {
    stream.abandon_capture();
    throw;
  }
  graph_ = stream.end_capture(&prints_);
}

CapturedGraph::~CapturedGraph() {
  api_.cuGraphExecDestroy(executable_);
  api_.cuGraphDestroy(graph_);
}

void CapturedGraph::launch(uint32_t stream, uint64_t sequence) {
  streams_.at(stream).launch(executable_, prints_, sequence);
}

void CapturedGraph::change(size_t index, const LaunchRequest& request) {
  size_t bytes = request.argument_bytes;
  void* packed[] = {kParameterBuffer, request.arguments, kParameterBytes, &bytes, nullptr};
  KernelNodeParameters parameters{};
  parameters.function = modules_.kernel(request.kernel).function;
  for (int axis = 0; axis < 3; axis++) {
    parameters.grid[axis] = request.grid[axis];
    parameters.block[axis] = request.block[axis];
  }
  parameters.shared = request.shared;
  parameters.packed = packed;
  api_.check(api_.cuGraphExecKernelNodeSetParams(executable_, nodes_[index], &parameters), "changing a graph");
}

}  // namespace warpcell::cuda
