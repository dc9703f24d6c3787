// Turns recording on and off, and puts together what was recorded.
#include "profiler.h"

namespace warpcell::cpu {

std::string CpuProfiler::start(bool, const uint64_t& sequence) {
  pool_.start_recording();
  log_.start(sequence);
  return profile_notes({});
}

Profile CpuProfiler::stop() {
  if (!log_.on()) throw not_profiling();
  log_.stop();
  ProfileParts parts;
  log_.records.append_to(parts.records);
  parts.dropped = log_.records.dropped() + pool_.stop_recording(parts.records);
  log_.records.clear();
  return make_profile(std::move(parts), log_.names);
}

}  // namespace warpcell::cpu
