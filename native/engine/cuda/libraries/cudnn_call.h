// A graph of cuDNN's operations as a call that is planned once: one of the engines that the library proposes for it,
// chosen by measuring.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cudnn_descriptor.h"
#include "libraries.h"

namespace warpcell::cuda {

// What a run gives to a graph: tensors by number, and where they are.
struct CudnnBindings {
  std::vector<int64_t> numbers;
  std::vector<void*> pointers;

  void add(int64_t number, void* pointer) {
    numbers.push_back(number);
    pointers.push_back(pointer);
  }
};

// An engine with its settings, ready to run.
struct CudnnEngine {
  CudnnDescriptor plan;
  uint64_t workspace;
  std::string name;
  std::string text;  // the plan, from which another process makes it again
};

// Which engines are of use.
struct CudnnWanted {
  size_t most;         // so many are measured
  uint64_t workspace;  // bytes, at most
  std::function<bool(const std::vector<DnnNote>&)> has_use;
};

class CudnnCall : public PlannedCall {
 public:
  void run(const RunRequest& request) override;

 protected:
  // `what`: "convolution"; `places`: of a run, in order; `scratch`: what the graph fills and reads again.
  CudnnCall(LibraryContext& context, const char* title, const char* what, std::vector<CudnnMemory> places,
            std::vector<CudnnMemory> scratch, size_t scalars);

  // To be called once: the engine that was chosen before, by a process that is no more, or the fastest. Throws
  // DeviceError UNSUPPORTED where there is none.
  void choose(const PlanRequest& request, const std::function<CudnnDescriptor()>& graph, const CudnnWanted& wanted);

  // What a run gives beside its places.
  virtual void bind(const RunRequest& request, CudnnBindings* bindings) {}

  const CudnnApi& library_;

 private:
  std::vector<CudnnEngine> proposed(const CudnnDescriptor& graph, DnnHeuristics mode, const CudnnWanted& wanted) const;
  std::optional<CudnnEngine> known(const std::string& choice) const;
  size_t fastest(const std::vector<CudnnEngine>& engines, const RunRequest& trial);
  // Of the device, at each run: the scratch, then what the engine works in.
  uint64_t workspace_of(const CudnnEngine& engine) const;
  CudnnDescriptor packed(const RunRequest& request, DevicePointer workspace);
  DnnStatus execute(const CudnnEngine& engine, const CudnnDescriptor& pack, Stream stream) const;

  LibraryContext& context_;
  const char* const what_;
  const std::vector<CudnnMemory> places_, scratch_;
  std::optional<CudnnEngine> chosen_;
};

}  // namespace warpcell::cuda
