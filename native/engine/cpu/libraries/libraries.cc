// The table of library calls of the cpu device.
#include "libraries.h"

#include "../run/faults.h"

namespace warpcell::cpu {

// The rows, a file each.
std::unique_ptr<PlannedCall> plan_matmul(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_cholesky(LibraryContext& context, const PlanRequest& request);

namespace {

class CpuLibraries final : public PlannedCalls<LibraryContext> {
 public:
  explicit CpuLibraries(LibraryContext context)
      : PlannedCalls(context, ProfileKind::kernel, {{"matmul", plan_matmul}, {"cholesky", plan_cholesky}}) {}

  void run(const RunRequest& request) override {
    blame(request.sequence);
    PlannedCalls::run(request);
    context_.control->streams[0].progress.store(request.sequence, std::memory_order_release);
  }
};

}  // namespace

std::unique_ptr<Libraries> cpu_libraries(LibraryContext context) { return std::make_unique<CpuLibraries>(context); }

}  // namespace warpcell::cpu
