// What was counted of launches while a profile was on: turns numbers into the JSON of profile_stop.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpcell {

class CounterList {
 public:
  static constexpr size_t kMost = 200'000;  // some 100 bytes each

  // For a profile whose launches are counted by these names.
  void start(std::vector<std::string> names);
  // A value for each name. What is not finite is left out; launches beyond the most are, too.
  void add(uint64_t sequence, const std::vector<double>& values);
  // A JSON object each. Adds to `notes` how many there was no room for.
  std::vector<std::string> take(std::vector<std::string>& notes);

 private:
  std::vector<std::string> names_;
  std::vector<std::string> entries_;
  uint64_t left_out_ = 0;
};

}  // namespace warpcell
