// Profiles the cpu: the launches, copies, fills and calls of its log, and what each core did of them.
#pragma once
#include "../../device.h"
#include "../../host/profile_log.h"
#include "../pool.h"

namespace warpcell::cpu {

class CpuProfiler final : public Profiler {
 public:
  CpuProfiler(Pool& pool, ProfileLog& log) : pool_(pool), log_(log) {}

  std::string start(bool counters, const uint64_t& sequence) override;
  Profile stop() override;

 private:
  Pool& pool_;
  ProfileLog& log_;
};

}  // namespace warpcell::cpu
