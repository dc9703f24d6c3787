// Profiles the cpu: the launches, copies, fills and calls of its log, what each core did of them, and what the threads
// of a launch did.
#pragma once
#include <mutex>

#include "../../device.h"
#include "../../host/counter_list.h"
#include "../../host/profile_log.h"
#include "../run/streams.h"

namespace warpcell::cpu {

class CpuProfiler final : public Profiler {
 public:
  CpuProfiler(Streams& streams, ProfileLog& log) : streams_(streams), log_(log) {}

  std::string start(ProfileExtras extras, const uint64_t& sequence) override;
  Profile stop() override;

  // To be called after each launch while a profile is on, by the thread that ran it.
  void counted(Pool& pool, const Job& job);

 private:
  Streams& streams_;
  ProfileLog& log_;
  std::mutex mutex_;
  CounterList counters_;
};

}  // namespace warpcell::cpu
