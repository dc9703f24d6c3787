// What OpenBLAS does for the cpu device, a row for each call.
#include <climits>

#include "../../host/json.h"
#include "../../host/matmul_terms.h"
#include "../faults.h"
#include "libraries.h"
#include "openblas_library.h"

namespace warpcell::cpu {
namespace {

// Multiplications and additions that are worth a thread: another one that sleeps takes half a millisecond to wake, and
// longer where JavaScript has its core.
constexpr double kThreadFlops = 4e7;

int threads_for(const MatmulTerms& terms, uint32_t most) {
  double wanted = 2.0 * double(terms.m) * double(terms.n) * double(terms.k) / kThreadFlops;
  return wanted >= double(most) ? int(most) : wanted > 1 ? int(wanted) : 1;
}

std::string counted(int threads) { return threads == 1 ? "1 thread" : std::to_string(threads) + " threads"; }

template <class T>
class Product final : public PlannedCall {
 public:
  Product(const LibraryContext& context, const MatmulTerms& terms, const OpenBlas& library, Gemm<T>* gemm)
      : segments_(context.segments),
        terms_(terms),
        bytes_(terms.place_bytes()),
        library_(library),
        gemm_(gemm),
        threads_(threads_for(terms, context.threads)) {}

  void run(const RunRequest& request) override {
    expect_places(request, bytes_.size());
    T* out = place(request, 0);
    const T* a = place(request, 1);
    const T* b = place(request, 2);
    library_.set_threads(threads_);
    for (int64_t batch = 0; batch < terms_.batches; batch++) {
      gemm_(kRowMajor, terms_.a.transposed ? kTransposed : kAsStored, terms_.b.transposed ? kTransposed : kAsStored,
            int(terms_.m), int(terms_.n), int(terms_.k), T(request.scalars[0]), a + batch * terms_.a.stride,
            int(terms_.a.leading), b + batch * terms_.b.stride, int(terms_.b.leading), T(request.scalars[1]),
            out + batch * terms_.out.stride, int(terms_.out.leading));
    }
  }

 private:
  T* place(const RunRequest& request, size_t which) {
    return reinterpret_cast<T*>(segments_.range(request.places[which], bytes_[which]));
  }

  Segments& segments_;
  const MatmulTerms terms_;
  const std::vector<uint64_t> bytes_;
  const OpenBlas& library_;
  Gemm<T>* const gemm_;
  const int threads_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw DeviceError("UNSUPPORTED", "OpenBLAS does not multiply matrices " + what + ".");
}

std::unique_ptr<PlannedCall> plan_matmul(LibraryContext& context, const PlanRequest& request) {
  MatmulTerms terms(request);
  const std::string& type = terms.out.type;
  if (terms.a.type != type || terms.b.type != type || (type != "float32" && type != "float64"))
    refuse("of " + terms.a.type + " and " + terms.b.type + " into " + type);
  if (terms.epilogue->cublas != 1 || terms.scaled) refuse("with an epilogue or scales");
  for (int64_t size : {terms.m, terms.n, terms.k, terms.a.leading, terms.b.leading, terms.out.leading}) {
    if (size > INT_MAX) refuse("with " + std::to_string(size) + " rows or columns");
  }

  const OpenBlas& library = openblas(context.threads);
  std::unique_ptr<PlannedCall> call;
  if (type == "float32")
    call = std::make_unique<Product<float>>(context, terms, library, library.sgemm);
  else
    call = std::make_unique<Product<double>>(context, terms, library, library.dgemm);
  call->title = {"OpenBLAS matmul"};
  call->planned.chosen = JsonObject()
                             .text("library", "OpenBLAS")
                             .text("version", library.version)
                             .text("path", library.path)
                             .text("algorithm", library.processor + ", " + counted(threads_for(terms, context.threads)))
                             .done();
  return call;
}

class CpuLibraries final : public PlannedCalls<LibraryContext> {
 public:
  explicit CpuLibraries(LibraryContext context)
      : PlannedCalls(context, ProfileKind::kernel, {{"matmul", plan_matmul}}) {}

  void run(const RunRequest& request) override {
    blame(request.sequence);
    PlannedCalls::run(request);
    context_.control->progress.store(request.sequence, std::memory_order_release);
  }
};

}  // namespace

std::unique_ptr<Libraries> cpu_libraries(LibraryContext context) { return std::make_unique<CpuLibraries>(context); }

}  // namespace warpcell::cpu
