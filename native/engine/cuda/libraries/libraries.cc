// The table of library calls of a cuda device.
#include "libraries.h"

namespace warpcell::cuda {

// The calls of each file, by their names in a plan.
LibraryRows cublas_rows();
LibraryRows cusolver_rows();
LibraryRows cusolver_svd_rows();
LibraryRows cudnn_rows();
LibraryRows cudnn_attention_rows();
LibraryRows cufft_rows();

namespace {

// What a library puts on the stream, only the library knows.
class CudaLibraries final : public PlannedCalls<LibraryContext> {
 public:
  explicit CudaLibraries(LibraryContext context)
      : PlannedCalls(
            context, ProfileKind::call,
            {cublas_rows(), cusolver_rows(), cusolver_svd_rows(), cudnn_rows(), cudnn_attention_rows(), cufft_rows()}) {
  }

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
