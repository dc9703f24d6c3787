// What one thread of a checked launch does: the statements that it comes to, what its variables hold there, and what it
// reads and writes meanwhile.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpcell::cpu {

// Steps that are kept; more are counted.
constexpr size_t kMostSteps = 10'000;

// Bytes of an access that are kept.
constexpr uint32_t kMostAccessed = 16;

class Steps {
 public:
  struct Memory {
    int subject;      // of the checker's names
    uint64_t offset;  // bytes
    const uint8_t* at;
    uint64_t bytes;
  };

  void begin() { *this = Steps(); }
  void came(const char* file, uint32_t line, const char* function);
  // A variable, or a part of one. `pointee`: what a pointer points to, where that is known; else null.
  void told(const char* name, int index, char kind, uint64_t bits, const Memory* pointee);
  // Before it happens.
  void accessed(const Memory& memory, bool is_read, bool is_write);
  // A JSON object for each step, and one of how many there were.
  std::vector<std::string> finish();

 private:
  struct Value {
    std::string name;
    int index;
    char kind;
    uint64_t bits;
    int subject;
    uint64_t offset;
  };
  struct Access {
    const char* how;
    int subject;
    uint64_t offset, bytes;
    uint8_t held[kMostAccessed];
  };
  struct Step {
    const char* file;
    uint32_t line;
    const char* function;
    std::vector<Value> values;
    std::vector<Access> accesses;
  };

  // Writes have happened when the next thing does.
  void settle();

  std::vector<Step> steps_;
  uint64_t all_ = 0;
  const uint8_t* written_ = nullptr;
};

}  // namespace warpcell::cpu
