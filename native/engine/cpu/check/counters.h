// What the warps of a checked launch do in each line: how many of their threads come to it, and what their accesses ask
// of memory. Threads run one after the other, so the n-th time that each thread of a warp comes to a place is taken for
// one step of the warp.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "image.h"

namespace warpcell::cpu {

constexpr uint32_t kWarpLanes = 32;

// Where a thread of the launch is.
struct LaunchThread {
  uint64_t block;
  uint32_t thread;
};

struct CountedAccess {
  bool is_shared;  // else global
  bool is_write, is_atomic;
  uint64_t at;
  uint32_t bytes;
  uintptr_t code;
};

class Counters {
 public:
  // `threads`: of a block. `alternate`: blocks take turns.
  void begin(uint32_t threads, bool alternate);
  // A thread has come to a statement, which has a number.
  void ran(LaunchThread by, uint32_t statement, const char* file, uint32_t line);
  void accessed(LaunchThread by, const CountedAccess& access);
  // A JSON object for each statement and each access of the code.
  std::vector<std::string> finish(const CheckedImage& image);

 private:
  struct Statement {
    std::string file;
    uint32_t line = 0;
    uint64_t threads = 0, executions = 0, warps = 0, divergent = 0;
  };
  // What a warp asks for at once.
  struct Request {
    uint32_t lanes = 0;
    uint32_t bytes = 0;
    uint64_t at[kWarpLanes] = {};
  };
  struct Cost {
    uint32_t transactions, fewest, worst;
  };
  struct Site {
    uintptr_t code = 0;
    bool is_shared = false, is_write = false, is_atomic = false;
    uint64_t requests = 0, transactions = 0, fewest = 0, lost = 0;
    uint32_t worst = 0;       // transactions of a request; of shared memory, the degree of its conflict
    uint32_t contention = 0;  // threads of a warp at one address
    Request example;          // the worst
  };
  // Of a warp at one place of the code: requests that not every lane has come to yet.
  struct Track {
    uint64_t visits[kWarpLanes] = {};
    uint64_t first = 0;  // the number of the request at `head`
    size_t head = 0;
    std::vector<Request> requests;
  };
  struct Visits {
    uint64_t of[kWarpLanes] = {};
  };
  struct Block {
    std::vector<Visits> statements;  // by statement and warp
    std::vector<Track> sites;        // by site and warp
  };

  Block& block(uint64_t index);
  void end(Block& block);
  static void add(Site& site, const Request& request);
  static Cost global_cost(const Request& request);
  static Cost shared_cost(const Request& request);
  uint32_t all_lanes(uint32_t warp) const;
  // An atomic read that no exchange has followed.
  void settle();
  void enter(LaunchThread by, const CountedAccess& access);

  uint32_t threads_ = 0, warps_ = 0;
  bool alternate_ = false;
  std::vector<Statement> statements_;
  std::vector<Site> sites_;
  std::unordered_map<uintptr_t, uint32_t> site_of_;
  std::map<uint64_t, Block> blocks_;
  Block* current_ = nullptr;
  uint64_t current_index_ = 0;
  uint64_t held_ = 0;
  // An atomic read, which is a part of the exchange that may follow.
  bool has_read_ = false;
  LaunchThread reader_{};
  CountedAccess read_{};
};

}  // namespace warpcell::cpu
