// Graphs of a program on the CPU: nodes with what they depend on, and the order in which they run.
#include <algorithm>
#include <functional>
#include <queue>

#include "device.h"

namespace warpcell::cpu {
namespace {

cudaGraphNode_t node_at(size_t place) { return reinterpret_cast<cudaGraphNode_t>(place + 1); }

// Does each step, up to the first that fails.
template <class Do>
cudaError_t all_of(const std::vector<Step>& steps, const Do& perform) {
  for (const Step& step : steps) {
    cudaError_t error = perform(step);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

bool ProgramGraph::places(const cudaGraphNode_t* handles, size_t count, std::vector<size_t>* places) const {
  for (size_t i = 0; i < count; i++) {
    size_t place = reinterpret_cast<size_t>(handles[i]) - 1;
    if (place >= steps.size()) return false;
    places->push_back(place);
  }
  return true;
}

bool ProgramGraph::in_order(std::vector<Step>* ordered) const {
  std::vector<size_t> waits_for(steps.size());
  for (const auto& edge : edges) waits_for[edge.second]++;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < steps.size(); i++)
    if (waits_for[i] == 0) ready.push(i);
  while (!ready.empty()) {
    size_t next = ready.top();
    ready.pop();
    ordered->push_back(steps[next]);
    for (const auto& [from, to] : edges)
      if (from == next && --waits_for[to] == 0) ready.push(to);
  }
  return ordered->size() == steps.size();
}

cudaError_t CpuProgram::graph_create(cudaGraph_t* handle) {
  Turn turn(tables_);
  auto graph = std::make_shared<ProgramGraph>();
  *handle = reinterpret_cast<cudaGraph_t>(graph.get());
  graphs_[*handle] = std::move(graph);
  return cudaSuccess;
}

cudaError_t CpuProgram::graph_clone(cudaGraph_t* clone, cudaGraph_t handle) {
  Turn turn(tables_);
  auto found = graphs_.find(handle);
  if (found == graphs_.end()) return cudaErrorInvalidValue;
  auto graph = std::make_shared<ProgramGraph>(*found->second);
  *clone = reinterpret_cast<cudaGraph_t>(graph.get());
  graphs_[*clone] = std::move(graph);
  return cudaSuccess;
}

cudaError_t CpuProgram::graph_add(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* dependencies,
                                  size_t count, cudaGraph_t child) {
  Turn turn(tables_);
  auto found = graphs_.find(handle), part = graphs_.find(child);
  std::vector<size_t> before;
  std::vector<Step> steps;
  if (found == graphs_.end() || part == graphs_.end() || !found->second->places(dependencies, count, &before) ||
      !part->second->in_order(&steps))
    return cudaErrorInvalidValue;
  ProgramGraph& graph = *found->second;
  for (size_t place : before) graph.edges.push_back({place, graph.steps.size()});
  *node = node_at(graph.steps.size());
  graph.steps.push_back([steps] { return all_of(steps, [](const Step& step) { return step(); }); });
  return cudaSuccess;
}

cudaError_t CpuProgram::graph_depend(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
  Turn turn(tables_);
  auto found = graphs_.find(handle);
  std::vector<size_t> firsts, seconds;
  if (found == graphs_.end() || !found->second->places(from, count, &firsts) ||
      !found->second->places(to, count, &seconds))
    return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; i++) found->second->edges.push_back({firsts[i], seconds[i]});
  return cudaSuccess;
}

cudaError_t CpuProgram::graph_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  Turn turn(tables_);
  auto found = graphs_.find(graph);
  if (found == graphs_.end()) return cudaErrorInvalidValue;
  size_t all = found->second->steps.size();
  if (nodes == nullptr) {
    *count = all;
    return cudaSuccess;
  }
  // Places behind the last node get none.
  for (size_t i = 0; i < *count; i++) nodes[i] = i < all ? node_at(i) : nullptr;
  *count = std::min(*count, all);
  return cudaSuccess;
}

cudaError_t CpuProgram::graph_instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) {
  Turn turn(tables_);
  auto found = graphs_.find(graph);
  if (found == graphs_.end()) return cudaErrorInvalidValue;
  std::vector<Step> steps;
  if (!found->second->in_order(&steps)) return cudaErrorInvalidValue;
  static size_t counter = 0;
  *executable = reinterpret_cast<cudaGraphExec_t>(++counter);
  executables_[*executable] = std::move(steps);
  return cudaSuccess;
}

cudaError_t CpuProgram::graph_launch(cudaGraphExec_t executable, cudaStream_t stream) {
  std::vector<Step> steps;
  {
    Turn turn(tables_);
    auto found = executables_.find(executable);
    if (found == executables_.end()) return cudaErrorInvalidValue;
    steps = found->second;
  }
  return all_of(steps, [&](const Step& step) { return perform(stream, step); });
}

cudaError_t CpuProgram::graph_exec_destroy(cudaGraphExec_t executable) {
  Turn turn(tables_);
  return executables_.erase(executable) == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t CpuProgram::graph_destroy(cudaGraph_t graph) {
  Turn turn(tables_);
  return graphs_.erase(graph) == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

}  // namespace warpcell::cpu
