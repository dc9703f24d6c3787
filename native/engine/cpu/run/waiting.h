// Notices a launch that stands still while blocks have not started, and says once what that may mean.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "pool.h"

namespace warpcell::cpu {

class Waiting {
 public:
  // While it lives, its launch is watched. `kernel` outlives it.
  class Launch {
   public:
    Launch(Waiting& waiting, const std::string& kernel, const Geometry& geometry);
    ~Launch();
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

   private:
    Waiting& waiting_;
  };

  // Called a few times a second by another thread. Writes to standard error.
  void look(const Pool& pool);

 private:
  std::mutex mutex_;
  const std::string* kernel_ = nullptr;  // null: none is watched
  Geometry geometry_{};
  bool is_new_ = false;
  bool is_told_ = false;
  uint64_t reached_ = 0;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace warpcell::cpu
