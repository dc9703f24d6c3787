// A call of cuSOLVER or cuBLAS for a batch of matrices: finds where its operands lie, and tells what became of it. One
// that can fail has a status, or, of a batch, one more place: an int32 for each matrix; unless the terms say
// `unchecked`.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "../../host/plan_terms.h"
#include "cusolver_api.h"
#include "libraries.h"

namespace warpcell::cuda {

// What one call works on.
struct SolverShape {
  std::vector<uint64_t> bytes;  // of one matrix at each place; those of the next follow without a gap
  uint64_t workspace = 0;       // bytes, for all of the batch
  bool can_fail = false;        // it says how it went: 0 where all is well
  // Places whose matrices are taken by lists of their addresses.
  std::vector<size_t> listed = {};
};

// One run: what a call is given.
class SolverRun {
 public:
  // Place `which` of the first matrix, or of another.
  template <class T>
  T* at(size_t which, int64_t matrix = 0) const {
    return reinterpret_cast<T*>(places[which] + uint64_t(matrix) * shape->bytes[which]);
  }
  // The addresses of the matrices of a place that is listed.
  template <class T>
  T** list(size_t which) const {
    for (size_t at = 0; at < shape->listed.size(); at++) {
      if (shape->listed[at] == which) return reinterpret_cast<T**>(lists + at * uint64_t(batches) * sizeof(void*));
    }
    return nullptr;
  }
  template <class T>
  T* workspace() const {
    return reinterpret_cast<T*>(memory);
  }

  const SolverShape* shape;
  std::vector<DevicePointer> places;
  DevicePointer lists, memory;
  int* status;  // an int32 for each matrix, of the device
  int64_t batches;
  Stream stream;
};

class SolverCall final : public PlannedCall {
 public:
  // Puts the work on the stream that the handles have; returns the library's status.
  using Submit = std::function<SolverStatus(const SolverRun& run)>;

  SolverCall(const char* title, LibraryContext& context, const PlanRequest& request, SolverShape shape, Submit submit);
  void run(const RunRequest& request) override;

 private:
  void write_lists(const SolverRun& run, Stream stream);

  LibraryContext& context_;
  const SolverApi& library_;
  const int64_t batches_;
  const SolverShape shape_;
  const bool is_told_;
  const Submit submit_;
  std::vector<DevicePointer> addresses_;  // as they are written to the device
};

// A number of rows or columns. Throws DeviceError UNSUPPORTED, PROTOCOL.
int solver_size(const PlanRequest& request, const std::string& term);

// What `plan` makes for numbers of the plan's type, of which it is given one. Throws DeviceError UNSUPPORTED for types
// that cuSOLVER does not take.
template <class Plan>
std::unique_ptr<PlannedCall> for_type(const PlanRequest& request, Plan plan) {
  const std::string& type = text_term(request, "type");
  if (type == "float32") return plan(float{});
  if (type == "float64") return plan(double{});
  if (type == "complex64") return plan(std::complex<float>{});
  if (type == "complex128") return plan(std::complex<double>{});
  throw DeviceError("UNSUPPORTED", "cuSOLVER does not take matrices of " + type + ".");
}

// `submit` for one matrix after the other.
template <class Submit>
SolverStatus each_matrix(int64_t batches, Submit submit) {
  for (int64_t matrix = 0; matrix < batches; matrix++) {
    if (SolverStatus status = submit(matrix)) return status;
  }
  return 0;
}

}  // namespace warpcell::cuda
