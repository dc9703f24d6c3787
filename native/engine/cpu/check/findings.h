// What a checked launch has found: each thing once, with where it happened first and in how many threads.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "image.h"

namespace warpcell::cpu {

constexpr int kNoSubject = -1;

// A thread of the launch.
struct Culprit {
  uint64_t block = 0;
  uint32_t thread = 0;
};

struct Finding {
  // "bounds", "address", "disposed", "unwritten", "race", "barrier", "ended", "stuck", "mask", "shuffle", "index",
  // "alignment", "overflow", "division".
  const char* kind;
  uintptr_t code = 0;        // where it happened, unless the line is known
  uintptr_t other_code = 0;  // of the other access of a race
  CodeLine line;
  CodeLine other_line;
  int subject = kNoSubject;
  int64_t offset = 0;  // bytes from the start of the subject
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool is_write = false;
  bool is_atomic = false;
  bool other_is_write = false;
  bool other_is_atomic = false;
  Culprit culprit;
  bool has_other = false;
  Culprit other;
  std::string detail;
  uint64_t threads = 1;
};

class Findings {
 public:
  void clear() { found_.clear(); }
  bool empty() const { return found_.empty(); }
  void add(const Finding& finding);
  // A JSON object for each, with its lines.
  std::vector<std::string> written(const CheckedImage& image, const uint32_t (&grid)[3], const uint32_t (&block)[3]);

 private:
  using Key = std::tuple<std::string, uintptr_t, uintptr_t, uint32_t, int>;
  struct Counted {
    Finding first;
    std::unordered_set<uint64_t> threads;
  };
  std::map<Key, Counted> found_;
};

}  // namespace warpcell::cpu
