// Profiles a GPU with CUPTI: attached only between start and stop.
#pragma once
#include <vector>

#include "../../device.h"
#include "../../host/profile_log.h"
#include "../driver_api.h"
#include "activity_buffers.h"
#include "activity_records.h"
#include "cupti_api.h"

namespace warpcell::cuda {

class CuptiProfiler final : public Profiler {
 public:
  // `log`: what the thread of the command loop does meanwhile.
  CuptiProfiler(const DriverApi& driver, Context context, Stream stream, ProfileLog& log) : driver_(driver), context_(context), stream_(stream), log_(log) {}

  std::string start(bool counters, const uint64_t& sequence) override;
  Profile stop() override;

 private:
  static void on_call(void* self, int domain, uint32_t function, const void* data);
  void attach();
  void warm_up();
  void follow_calls(bool on);
  void detach();

  const DriverApi& driver_;
  const CuptiApi* api_ = nullptr;
  Context context_;
  Stream stream_;
  ProfileLog& log_;
  Subscriber subscriber_ = nullptr;
  std::vector<Cause> causes_;
};

}  // namespace warpcell::cuda
