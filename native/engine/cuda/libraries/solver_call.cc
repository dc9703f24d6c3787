// Runs a call of cuSOLVER or cuBLAS on a stream, with its workspace: what the library wants, an int32 for each matrix,
// lists of addresses.
#include "solver_call.h"

#include <climits>

#include "../../host/json.h"

namespace warpcell::cuda {
namespace {

constexpr uint64_t aligned(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

bool is_told(const PlanRequest& request, const SolverShape& shape) {
  return shape.can_fail && !flag_term(request, "unchecked");
}
bool tells_each(const PlanRequest& request, const SolverShape& shape) {
  return is_told(request, shape) && size_term_or(request, "batches", 1) != 1;
}

}  // namespace

SolverCall::SolverCall(const char* title, LibraryContext& context, const PlanRequest& request, SolverShape shape,
                       Submit submit)
    : PlannedCall(title, shape.bytes.size() + (tells_each(request, shape) ? 1 : 0), 0),
      context_(context),
      library_(cusolver()),
      batches_(size_term_or(request, "batches", 1)),
      shape_(std::move(shape)),
      is_told_(is_told(request, shape_)),
      submit_(std::move(submit)),
      addresses_(shape_.listed.size() * size_t(batches_)) {
  if (batches_ > INT_MAX)
    throw DeviceError("UNSUPPORTED", "cuSOLVER does not take a batch of " + std::to_string(batches_) + " matrices.");
  planned.workspace =
      aligned(shape_.workspace) + aligned(uint64_t(batches_) * sizeof(int)) + addresses_.size() * sizeof(DevicePointer);
  planned.has_status = is_told_ && batches_ == 1;
  planned.kept = sizeof *this + addresses_.size() * sizeof(DevicePointer);
  planned.chosen = JsonObject()
                       .text("library", "cuSOLVER")
                       .text("version", library_.version)
                       .text("path", library_.path)
                       .text("algorithm", title)
                       .done();
}

void SolverCall::run(const RunRequest& request) {
  SolverRun run{};
  run.shape = &shape_;
  run.batches = batches_;
  for (size_t which = 0; which < shape_.bytes.size(); which++)
    run.places.push_back(context_.segments.address(request.places[which], uint64_t(batches_) * shape_.bytes[which]));
  run.memory = context_.segments.address(request.workspace, planned.workspace);
  DevicePointer own_status = run.memory + aligned(shape_.workspace);
  run.lists = own_status + aligned(uint64_t(batches_) * sizeof(int));
  bool has_place = is_told_ && batches_ > 1;
  DevicePointer told =
      has_place ? context_.segments.address(request.places[shape_.bytes.size()], uint64_t(batches_) * sizeof(int)) : 0;
  run.status = reinterpret_cast<int*>(has_place ? told : own_status);

  SolverStatus status = 0;
  WorkStream& stream = context_.streams.at(request.stream);
  stream.submit(request.sequence, [&](Stream handle) {
    library_.cusolverDnSetStream(library_.handle, handle);
    library_.cublasSetStream(library_.vectors, handle);
    run.stream = handle;
    write_lists(run, handle);
    status = submit_(run);
    if (planned.has_status)
      context_.api.cuMemcpyAsync(context_.segments.address(request.status, sizeof(int)), own_status, sizeof(int),
                                 handle);
  });
  if (status == 0) return;
  stream.expect_sound();
  library_.check(status, title.text.c_str());
}

// What the driver copies from memory that it does not know, it has taken when the call returns.
void SolverCall::write_lists(const SolverRun& run, Stream stream) {
  if (addresses_.empty()) return;
  size_t next = 0;
  for (size_t which : shape_.listed) {
    for (int64_t matrix = 0; matrix < batches_; matrix++)
      addresses_[next++] = run.places[which] + uint64_t(matrix) * shape_.bytes[which];
  }
  context_.api.cuMemcpyAsync(run.lists, reinterpret_cast<DevicePointer>(addresses_.data()),
                             addresses_.size() * sizeof(DevicePointer), stream);
}

int solver_size(const PlanRequest& request, const std::string& term) {
  int64_t size = size_term(request, term);
  if (size >= 1 && size <= INT_MAX) return int(size);
  throw DeviceError("UNSUPPORTED",
                    "cuSOLVER does not take matrices with " + std::to_string(size) + " rows or columns.");
}

}  // namespace warpcell::cuda
