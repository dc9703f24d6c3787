// Counts what each kernel does to memory and multiprocessors: turns launches into metrics, with CUPTI's range profiler.
//
// One pass counts all: the set below is cut to what the GPU counts at once, so no kernel runs twice.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../../host/counter_list.h"
#include "../driver/driver_api.h"
#include "range_api.h"

namespace warpcell::cuda {

class RangeCounters {
 public:
  // Counting is on from then on. Throws DeviceError with what keeps the GPU from it.
  RangeCounters(const CuptiApi& cupti, const DriverApi& driver, Context context, Stream stream, int device);
  ~RangeCounters();
  RangeCounters(const RangeCounters&) = delete;
  RangeCounters& operator=(const RangeCounters&) = delete;

  // A kernel of ours comes next. This may wait for those before it. Throws the fault of any of them; a failure to count
  // is kept for take().
  void launching(uint64_t sequence);
  // From then on all kernels are of `sequence`, until end().
  void begin(uint64_t sequence);
  // From then on none is counted, until end().
  void pause();
  void end() noexcept { stretch_ = Stretch::none; }

  // A JSON object for each kernel, and notes about what is missing.
  std::vector<std::string> take(std::vector<std::string>& notes);

 private:
  enum class Stretch { none, foreign, paused };

  void open_host(int device);
  std::vector<uint8_t> configure();
  std::vector<uint8_t> config_image(const std::vector<const char*>& metrics, size_t* passes);
  void make_image();
  void start();
  // Counts what has been launched since the start, and stops.
  void gather();
  void read_ranges();
  // Does `work`; when it fails, nothing is counted any more.
  template <class Work>
  void attempt(Work work);
  void close();

  const CuptiApi& cupti_;
  const RangeApi& api_;
  const DriverApi& driver_;
  Context context_;
  Stream stream_;
  std::string chip_;
  std::vector<uint8_t> availability_;
  CounterHost host_ = nullptr;
  RangeProfiler profiler_ = nullptr;
  std::vector<const char*> metrics_;
  std::vector<uint8_t> config_, empty_image_, image_;

  bool started_ = false;
  Stretch stretch_ = Stretch::none;
  std::vector<uint64_t> ours_;  // sequences of kernels since the start, one each
  uint64_t foreign_ = 0;        // of those that follow; 0: none do
  uint64_t uncounted_ = 0;
  std::string failure_;
  CounterList counted_;
};

}  // namespace warpcell::cuda
