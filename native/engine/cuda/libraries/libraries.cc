// The table of library calls of a cuda device.
#include "libraries.h"

namespace warpcell::cuda {

// The rows, a file each.
std::unique_ptr<PlannedCall> plan_matmul(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_cholesky(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_lu(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_lu_solve(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_triangular_solve(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_qr(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_orthonormal(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_eigh(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_eig(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_svd(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_convolution(LibraryContext& context, const PlanRequest& request);
std::unique_ptr<PlannedCall> plan_fft(LibraryContext& context, const PlanRequest& request);

namespace {

// What a library puts on the stream, only the library knows.
class CudaLibraries final : public PlannedCalls<LibraryContext> {
 public:
  explicit CudaLibraries(LibraryContext context)
      : PlannedCalls(context, ProfileKind::call,
                     {{"matmul", plan_matmul},
                      {"cholesky", plan_cholesky},
                      {"lu", plan_lu},
                      {"lu_solve", plan_lu_solve},
                      {"triangular_solve", plan_triangular_solve},
                      {"qr", plan_qr},
                      {"orthonormal", plan_orthonormal},
                      {"eigh", plan_eigh},
                      {"eig", plan_eig},
                      {"svd", plan_svd},
                      {"convolution", plan_convolution},
                      {"fft", plan_fft}}) {}

  Planned plan(const PlanRequest& request) override {
    WatchedStretch stretch(context_.streams.at(0).watcher(), Stretch::measurement);
    return PlannedCalls::plan(request);
  }

  void run(const RunRequest& request) override {
    WatchedStretch stretch(context_.streams.at(request.stream).watcher(), Stretch::foreign);
    PlannedCalls::run(request);
  }
};

}  // namespace

std::unique_ptr<Libraries> cuda_libraries(LibraryContext context) { return std::make_unique<CudaLibraries>(context); }

}  // namespace warpcell::cuda
