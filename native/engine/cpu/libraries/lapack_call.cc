// Runs a call of LAPACK over a batch, and decides which cores do what of it.
#include "lapack_call.h"

#include <algorithm>
#include <climits>
#include <cstddef>

#include "../../host/json.h"

namespace warpcell::cpu {
namespace {

// What is worth a part of its own: some tens of microseconds.
constexpr double kPartFlops = 2e5;
// What is worth several threads within one matrix.
constexpr double kSharedFlops = 2e6;

// Memory of this thread, for as long as it lives.
void* scratch(uint64_t bytes) {
  thread_local std::vector<std::max_align_t> memory;
  size_t count = size_t(bytes / sizeof(std::max_align_t) + 1);
  if (memory.size() < count) memory = std::vector<std::max_align_t>(count);
  return memory.data();
}

// The library's own threads, which work on one matrix together as long as this lives.
class SharedWork {
 public:
  SharedWork(const OpenBlas& library, uint32_t cores) : library_(library) { library_.set_threads(int(cores)); }
  ~SharedWork() { library_.set_threads(1); }
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

 private:
  const OpenBlas& library_;
};

bool is_told(const PlanRequest& request, const LapackShape& shape) {
  return shape.can_fail && !flag_term(request, "unchecked");
}
bool tells_each(const PlanRequest& request, const LapackShape& shape) {
  return is_told(request, shape) && size_term_or(request, "batches", 1) != 1;
}

}  // namespace

LapackCall::LapackCall(const char* title, const LibraryContext& context, const PlanRequest& request, LapackShape shape,
                       Compute compute)
    : PlannedCall(title, shape.bytes.size() + (tells_each(request, shape) ? 1 : 0), 0),
      context_(context),
      library_(openblas()),
      batches_(size_term_or(request, "batches", 1)),
      shape_(std::move(shape)),
      is_told_(is_told(request, shape_)),
      compute_(std::move(compute)) {
  planned.kept = sizeof *this;
  planned.has_status = is_told_ && batches_ == 1;
  planned.chosen = JsonObject()
                       .text("library", "OpenBLAS")
                       .text("version", library_.version)
                       .text("path", library_.path)
                       .text("algorithm", library_.processor)
                       .done();
}

void LapackCall::run(const RunRequest& request) {
  std::vector<uint8_t*> places;
  for (size_t which = 0; which < shape_.bytes.size(); which++)
    places.push_back(context_.segments.range(request.places[which], uint64_t(batches_) * shape_.bytes[which]));
  int* status = nullptr;
  if (is_told_) {
    Place place = planned.has_status ? request.status : request.places[shape_.bytes.size()];
    status = reinterpret_cast<int*>(context_.segments.range(place, uint64_t(batches_) * sizeof(int)));
  }
  uint32_t cores = context_.streams.cores();
  if (batches_ < cores && shape_.flops >= kSharedFlops) {
    SharedWork work(library_, cores);
    return compute_all(places.data(), status, 0, batches_);
  }

  int64_t each = std::max(int64_t(kPartFlops / std::max(shape_.flops, 1.)), (batches_ + 4 * cores - 1) / (4 * cores));
  each = std::max<int64_t>(each, 1);
  uint64_t parts = uint64_t((batches_ + each - 1) / each);
  const Part part = [&](uint64_t number) {
    int64_t first = int64_t(number) * each;
    compute_all(places.data(), status, first, std::min(batches_, first + each));
  };
  context_.streams.at(request.stream).pool.run_parts(parts, part, request.sequence, title.number);
}

void LapackCall::compute_all(uint8_t* const* places, int* status, int64_t first, int64_t end) const {
  uint8_t* own[8];
  int unheard = 0;
  void* workspace = scratch(shape_.workspace);
  for (int64_t matrix = first; matrix < end; matrix++) {
    for (size_t which = 0; which < shape_.bytes.size(); which++)
      own[which] = places[which] + uint64_t(matrix) * shape_.bytes[which];
    compute_(own, workspace, status == nullptr ? &unheard : status + matrix);
  }
}

int lapack_size(const PlanRequest& request, const std::string& term) {
  int64_t size = size_term(request, term);
  if (size >= 1 && size <= INT_MAX) return int(size);
  throw DeviceError("UNSUPPORTED", "LAPACK does not take matrices with " + std::to_string(size) + " rows or columns.");
}

}  // namespace warpcell::cpu
