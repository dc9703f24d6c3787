// Turns recording on and off, and puts together what was recorded.
#include "profiler.h"

namespace warpcell::cpu {

std::string CpuProfiler::start(ProfileExtras extras, const uint64_t& sequence) {
  std::vector<std::string> notes;
  streams_.each([](WorkStream& stream) {
    stream.records.clear();
    stream.records.prepare();
    stream.pool.start_recording();
    stream.pool.take_counts();
  });
  Scheduler::is_counting = extras.counters;
  if (extras.counters) {
    counters_.start({"threads", "threads that waited", "barriers", "warp collectives", "divergent warp collectives"});
    notes.push_back(
        "Threads that are counted switch more slowly: kernels with barriers or warp intrinsics take longer. For their "
        "times, profile without counters.");
  }
  if (extras.samples) notes.push_back("Nothing is sampled: only GPUs can say which instruction a kernel is at.");
  log_.start(sequence);
  return profile_notes(notes);
}

void CpuProfiler::counted(Pool& pool, const Job& job) {
  if (!Scheduler::is_counting) return;
  Counts counts = pool.take_counts();
  double threads = 1;
  for (int i = 0; i < 3; i++) threads *= double(job.geometry.grid[i]) * job.geometry.block[i];
  std::lock_guard<std::mutex> lock(mutex_);
  counters_.add(job.sequence, {threads, double(counts.waiting), double(counts.barriers), double(counts.collectives),
                               double(counts.divergent)});
}

Profile CpuProfiler::stop() {
  if (!log_.on()) throw not_profiling();
  log_.stop();
  Scheduler::is_counting = false;
  ProfileParts parts;
  streams_.each([&](WorkStream& stream) {
    stream.records.append_to(parts.records);
    parts.dropped += stream.records.dropped() + stream.pool.stop_recording(parts.records);
    stream.records.clear();
  });
  parts.counters = counters_.take(parts.notes);
  return make_profile(std::move(parts), log_.names);
}

}  // namespace warpcell::cpu
