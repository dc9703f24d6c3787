// Profiles the cpu: the launches, copies, fills and calls of its log, what each core did of them, and what the threads
// of a launch did.
#pragma once
#include "../../device.h"
#include "../../host/counter_list.h"
#include "../../host/profile_log.h"
#include "../run/pool.h"

namespace warpcell::cpu {

class CpuProfiler final : public Profiler {
 public:
  CpuProfiler(Pool& pool, ProfileLog& log) : pool_(pool), log_(log) {}

  std::string start(ProfileExtras extras, const uint64_t& sequence) override;
  Profile stop() override;

  // To be called after each launch while a profile is on.
  void counted(const Job& job);

 private:
  Pool& pool_;
  ProfileLog& log_;
  CounterList counters_;
};

}  // namespace warpcell::cpu
