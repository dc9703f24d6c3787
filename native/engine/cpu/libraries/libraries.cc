// The table of library calls of the cpu device, which run in the order of their streams.
#include "libraries.h"

#include <mutex>
#include <vector>

namespace warpcell::cpu {

// The calls of each file, by their names in a plan.
LibraryRows openblas_rows();
LibraryRows lapack_rows();
LibraryRows convolution_rows();

namespace {

class CpuLibraries final : public PlannedCalls<LibraryContext> {
 public:
  explicit CpuLibraries(LibraryContext context)
      : PlannedCalls(context, ProfileKind::kernel, {openblas_rows(), lapack_rows(), convolution_rows()}) {}

  void run(const RunRequest& request) override {
    WorkStream& stream = context_.streams.at(request.stream);
    const std::shared_ptr<PlannedCall>& call = find(request);
    ProfileMark mark = context_.log.mark(work_, call->title);
    if (!stream.has_thread()) return run(stream, *call, request, mark);

    // The record is gone when the thread comes to it.
    std::vector<Place> places(request.places, request.places + request.place_count);
    std::vector<double> scalars(request.scalars, request.scalars + request.scalar_count);
    stream.give(request.sequence, [this, &stream, call = call, kept = request, mark, places, scalars]() mutable {
      kept.places = places.data();
      kept.scalars = scalars.data();
      run(stream, *call, kept, mark);
    });
  }

 private:
  void run(WorkStream& stream, PlannedCall& call, const RunRequest& request, const ProfileMark& mark) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      int64_t start = mark.on ? profile_clock() : 0;
      perform(call, request);
      if (mark.on) note(stream, mark, start);
    }
    stream.progressed(request.sequence);
  }

  static void note(WorkStream& stream, const ProfileMark& mark, int64_t start) {
    ProfileRecord* record = mark.add_to(stream.records, start, profile_clock());
    if (record != nullptr) record->lane = stream.number;
  }

  std::mutex mutex_;  // a call keeps what it works on while it runs
};

}  // namespace

std::unique_ptr<Libraries> cpu_libraries(LibraryContext context) { return std::make_unique<CpuLibraries>(context); }

}  // namespace warpcell::cpu
