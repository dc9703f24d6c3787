// Profiles a GPU with CUPTI: attached only between start and stop.
#pragma once
#include <memory>

#include "../../device.h"
#include "../../host/profile_log.h"
#include "../driver/driver_api.h"
#include "../driver/streams.h"
#include "activity_buffers.h"
#include "causes.h"
#include "cupti_api.h"
#include "pc_samples.h"
#include "range_counters.h"

namespace warpcell::cuda {

// What is profiled. `log`: what the thread of the command loop does meanwhile.
struct Profiled {
  const DriverApi& driver;
  Context context;
  int device;
  Streams& streams;
  ProfileLog& log;
};

class CuptiProfiler final : public Profiler, private StreamWatcher {
 public:
  explicit CuptiProfiler(Profiled profiled) : profiled_(profiled) {}

  std::string start(ProfileExtras extras, const uint64_t& sequence) override;
  Profile stop() override;

 private:
  void launching() override;
  void submitted(WorkKind kind) override;
  void begin(Stretch stretch) override;
  void end() noexcept override;

  static void on_call(void* self, int domain, uint32_t function, const void* data);
  Stream first_stream() const { return profiled_.streams.at(0).handle(); }
  void attach();
  void warm_up();
  void count(std::vector<std::string>& notes);
  bool sample(std::vector<std::string>& notes);
  ProfileParts collect();
  uint32_t call_number();
  void detach();

  Profiled profiled_;
  const CuptiApi* api_ = nullptr;
  Subscriber subscriber_ = nullptr;
  Causes causes_;
  uint32_t called_ = 0;                      // CUPTI's number of the last call that was followed
  std::unique_ptr<RangeCounters> counters_;  // while they are counted
  std::unique_ptr<PcSamples> samples_;       // while they are taken
};

}  // namespace warpcell::cuda
