// CUDA's runtime for the program that this process runs: which kernels and variables it has, and what became of its
// calls.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../program.h"
#include "report.h"

namespace warpcell {

// A kernel's stand-in in the host code.
struct ProgramKernel {
  uint64_t start;
  uint64_t end;
  uint32_t number;  // of the device
  std::string name;
  unsigned max_threads;  // of a block
};

class ProgramRuntime {
 public:
  ProgramRuntime(ProgramDevice& device, ProgramReport& report);

  // Kernels and variables that loaded host code has stand-ins for: `numbers` are those of the kernels, by symbols.
  void add(const std::string& object, uint64_t base, const std::map<std::string, uint32_t>& numbers);
  // Forgets those of the code from `start` to `end`.
  void remove(uint64_t start, uint64_t end);

  // The kernel with code at `address`; null for none.
  const ProgramKernel* kernel_at(const void* address) const;
  // The symbol of the variable whose stand-in lies at `address`; null for none.
  const std::string* variable_at(const void* address) const;

  // Keeps in mind that a call failed, and returns the error.
  cudaError_t note(const char* call, unsigned line, cudaError_t error);
  // A call failed whose result the program drops.
  void ignored(unsigned line, cudaError_t error);
  // The launch that was noted last failed, and a launch has no result to look at.
  void launch_failed(unsigned line, cudaError_t error);
  cudaError_t launch(const ProgramKernel* kernel, ProgramLaunch& launch, unsigned line);
  cudaError_t last_error(bool forget);
  // What failed without being looked at; from here on nothing has.
  std::vector<ProgramFailure> take_unseen();
  // The program is over: what failed without being looked at goes into the report.
  void finish();

  ProgramDevice& device;
  cudaDeviceProp properties{};
  std::vector<ProgramKernel> kernels;         // by where they start
  std::map<uint64_t, std::string> variables;  // symbols by address

 private:
  void remember(const char* call, unsigned line, cudaError_t error, bool is_launch);

  ProgramReport& report_;
  std::mutex accounts_;  // threads of the program share what follows, and the report
  std::vector<ProgramFailure> unseen_;
};

// The legacy stream and that of a thread are the default one here.
inline cudaStream_t real(cudaStream_t stream) { return reinterpret_cast<size_t>(stream) <= 2 ? nullptr : stream; }

// A kernel as C++ names it, of "void map<&(square(float))>(float*, int)": "map<&square>".
std::string expression_of(const std::string& symbol);

// Of this process; set before the program starts.
extern ProgramRuntime* program_runtime;

}  // namespace warpcell
