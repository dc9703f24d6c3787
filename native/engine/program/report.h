// What is told of a program's run: memory that the process which runs it shares with the one that waits for it, so that
// it is there however the program ends.
#pragma once
#include <cstdint>

#include "../../protocol/commands.h"

namespace warpcell {

struct ProgramFailure {
  char call[48];  // "cudaMemcpy", or the kernel's name where it is a launch
  uint32_t line;
  int32_t error;
  uint32_t is_launch;
};

struct ProgramReport {
  static constexpr uint32_t kFailures = 16;
  Control control;         // for the fault of a kernel on the cpu
  char problem[1024];      // why the program could not be started; empty: it was
  char kernel[256];        // the one that was launched last
  uint32_t line;           // of that launch
  uint32_t is_in_main;     // host code has begun
  uint32_t ended;          // by returning from main, or by exit
  uint32_t failure_count;  // of calls that nobody looked at; those that fit are listed
  ProgramFailure failures[kFailures];
};

}  // namespace warpcell
