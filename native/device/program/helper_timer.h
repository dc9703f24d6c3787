// "helper_timer.h" as programs after CUDA's samples include it: a stop watch of the host.
#pragma once
#include <chrono>

class StopWatchInterface {
 public:
  void start() {
    begun_ = now();
    is_running_ = true;
  }
  void stop() {
    total_ += since();
    rounds_++;
    is_running_ = false;
  }
  void reset() {
    total_ = 0;
    rounds_ = 0;
    begun_ = now();
  }
  // Milliseconds, those that run now too.
  float getTime() const { return float(is_running_ ? total_ + since() : total_); }
  float getAverageTime() const { return rounds_ > 0 ? float(total_ / rounds_) : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::time_point now() { return Clock::now(); }
  double since() const { return std::chrono::duration<double, std::milli>(now() - begun_).count(); }

  Clock::time_point begun_ = now();
  double total_ = 0;
  int rounds_ = 0;
  bool is_running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
// The others do nothing without a timer.
inline bool sdkStartTimer(StopWatchInterface** timer) { return *timer != nullptr ? (*timer)->start(), true : true; }
inline bool sdkStopTimer(StopWatchInterface** timer) { return *timer != nullptr ? (*timer)->stop(), true : true; }
inline bool sdkResetTimer(StopWatchInterface** timer) { return *timer != nullptr ? (*timer)->reset(), true : true; }
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer != nullptr ? (*timer)->getTime() : 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return *timer != nullptr ? (*timer)->getAverageTime() : 0;
}
