// Looks again and again at which instruction a warp of each multiprocessor is, and what it waits for: turns what
// kernels do meanwhile into counts for each of their instructions, with CUPTI's sampling of program counters. Kernels
// run as they would without.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sampling_api.h"

namespace warpcell::cuda {

class PcSamples {
 public:
  // Samples are taken from then on. Throws DeviceError with what keeps the GPU from it.
  PcSamples(const CuptiApi& cupti, Context context);
  ~PcSamples() { close(); }
  PcSamples(const PcSamples&) = delete;
  PcSamples& operator=(const PcSamples&) = delete;

  // Comes once, when all work is done: a JSON object for each kernel, and notes about what is missing.
  std::vector<std::string> take(std::vector<std::string>& notes);

 private:
  struct Code {
    uint64_t checksum;
    std::string symbol;
    bool operator<(const Code& other) const {
      return symbol != other.symbol ? symbol < other.symbol : checksum < other.checksum;
    }
  };
  using Counts = std::map<uint32_t, uint64_t>;  // of samples, by reason

  // A buffer with what it points to.
  struct Room {
    explicit Room(size_t reasons);
    Room(const Room&) = delete;
    std::vector<StallCount> stalls;
    std::vector<SampledInstruction> instructions;
    SampleBuffer buffer = {};
  };

  void read_reasons();
  void configure();
  // Adds up all that CUPTI has. False where it lost them.
  bool gather();
  void close();

  const CuptiApi& cupti_;
  const SamplingApi& api_;
  Context context_;
  std::map<uint32_t, std::string> reasons_;  // by CUPTI's number
  std::vector<uint32_t> numbers_;            // of them
  std::unique_ptr<Room> kept_,
      given_;  // CUPTI keeps samples in the one and gives them in the other: with one for both there are none
  bool enabled_ = false, started_ = false;
  std::map<Code, std::map<uint64_t, Counts>> taken_;  // by offset
  uint64_t dropped_ = 0;
};

}  // namespace warpcell::cuda
