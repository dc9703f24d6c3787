// A call of LAPACK for each matrix of a batch: many small ones are shared among cores, a large one has all cores to
// itself. One that can fail has a status, or, of a batch, one more place: an int32 for each matrix; unless the terms
// say `unchecked`.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "../../host/plan_terms.h"
#include "libraries.h"
#include "openblas_library.h"

namespace warpcell::cpu {

// What one call works on, and how long it takes.
struct LapackShape {
  std::vector<uint64_t> bytes;  // of one matrix at each place; those of the next follow without a gap
  uint64_t workspace = 0;       // bytes
  double flops = 0;
  bool can_fail = false;  // it says how it went: 0 where all is well
};

class LapackCall final : public PlannedCall {
 public:
  // Where one matrix has its part of each place, memory of the thread's own, and room for what it says of itself.
  using Compute = std::function<void(uint8_t* const* places, void* workspace, int* status)>;

  LapackCall(const char* title, const LibraryContext& context, const PlanRequest& request, LapackShape shape,
             Compute compute);
  void run(const RunRequest& request) override;

 private:
  void compute_all(uint8_t* const* places, int* status, int64_t first, int64_t end) const;

  LibraryContext context_;
  const OpenBlas& library_;
  const int64_t batches_;
  const LapackShape shape_;
  const bool is_told_;  // what can fail says so
  const Compute compute_;
};

// The functions for numbers of one type. Throws DeviceError NO_LIBRARY, UNSUPPORTED where there is no LAPACK.
template <class T>
const auto& lapack() {
  const OpenBlas& library = openblas();
  const auto& calls = calls_of<T>(library);
  if (calls.has_lapack) return calls;
  throw DeviceError("UNSUPPORTED", "The OpenBLAS at " + library.path + " was built without LAPACK.");
}

// A number of rows or columns, which LAPACK counts by 32 bits. Throws DeviceError UNSUPPORTED, PROTOCOL.
int lapack_size(const PlanRequest& request, const std::string& term);

// What `plan` makes for numbers of the plan's type, of which it is given one. Throws DeviceError UNSUPPORTED for types
// that LAPACK does not take.
template <class Plan>
std::unique_ptr<PlannedCall> for_type(const PlanRequest& request, Plan plan) {
  const std::string& type = text_term(request, "type");
  if (type == "float32") return plan(float{});
  if (type == "float64") return plan(double{});
  if (type == "complex64") return plan(std::complex<float>{});
  if (type == "complex128") return plan(std::complex<double>{});
  throw DeviceError("UNSUPPORTED", "LAPACK does not take matrices of " + type + ".");
}

// Place `which` of a matrix as numbers.
template <class T>
T* numbers(uint8_t* const* places, size_t which) {
  return reinterpret_cast<T*>(places[which]);
}

}  // namespace warpcell::cpu
