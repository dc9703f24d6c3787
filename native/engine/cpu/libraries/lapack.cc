// Factorisations by the LAPACK that OpenBLAS brings.
#include <climits>

#include "../../host/json.h"
#include "../../host/plan_terms.h"
#include "libraries.h"
#include "openblas_library.h"

namespace warpcell::cpu {
namespace {

// a = l · lᵀ of a symmetric matrix without gaps, in place: its lower triangle becomes l, the other stays. Its status is
// the order of the first leading minor that is not positive.
template <class T>
class Cholesky final : public PlannedCall {
 public:
  Cholesky(const LibraryContext& context, int64_t n, const OpenBlas& library)
      : PlannedCall("OpenBLAS cholesky", 1, 0), context_(context), n_(n), potrf_(calls_of<T>(library).potrf) {
    planned.kept = sizeof *this;
    planned.has_status = true;
    planned.chosen = JsonObject()
                         .text("library", "OpenBLAS")
                         .text("version", library.version)
                         .text("path", library.path)
                         .text("algorithm", library.processor)
                         .done();
  }

  void run(const RunRequest& request) override {
    auto* matrix =
        reinterpret_cast<T*>(context_.segments.range(request.places[0], uint64_t(n_) * uint64_t(n_) * sizeof(T)));
    auto* status = reinterpret_cast<int32_t*>(context_.segments.range(request.status, sizeof(int32_t)));
    int size = int(n_), failed = 0;
    // Its matrices are column-major: what is below the diagonal here is above it there.
    potrf_("U", &size, matrix, &size, &failed);
    *status = failed;
  }

 private:
  LibraryContext context_;
  int64_t n_;
  Potrf<T>* potrf_;
};

}  // namespace

std::unique_ptr<PlannedCall> plan_cholesky(LibraryContext& context, const PlanRequest& request) {
  int64_t n = size_term(request, "n");
  const std::string& type = text_term(request, "type");
  if (n < 1 || n > INT_MAX)
    throw DeviceError("UNSUPPORTED", "LAPACK does not factorise matrices with " + std::to_string(n) + " rows.");
  const OpenBlas& library = openblas();
  if (!library.single_calls.has_lapack || !library.double_calls.has_lapack)
    throw DeviceError("UNSUPPORTED", "The OpenBLAS at " + library.path + " was built without LAPACK.");
  if (type == "float32") return std::make_unique<Cholesky<float>>(context, n, library);
  if (type == "float64") return std::make_unique<Cholesky<double>>(context, n, library);
  throw DeviceError("UNSUPPORTED", "LAPACK does not factorise matrices of " + type + ".");
}

}  // namespace warpcell::cpu
