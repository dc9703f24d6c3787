// Keeps account of errors as CUDA's runtime does: the last one, and those that nobody has looked at.
#include "runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace warpcell {
namespace {

thread_local cudaError_t last = cudaSuccess;
thread_local const char* last_call = "";

// Errors after which a GPU's process can do nothing more; each later call returns them again.
bool is_sticky(cudaError_t error) { return error >= cudaErrorIllegalAddress && error <= cudaErrorLaunchFailure; }

void put(char* to, size_t size, const std::string& text) { std::snprintf(to, size, "%s", text.c_str()); }

}  // namespace

ProgramRuntime* program_runtime = nullptr;

ProgramRuntime::ProgramRuntime(ProgramDevice& device, ProgramReport& report) : device(device), report_(report) {
  device.properties(&properties);
}

const ProgramKernel* ProgramRuntime::kernel_at(const void* address) const {
  auto at = reinterpret_cast<uint64_t>(address);
  auto behind = std::upper_bound(kernels.begin(), kernels.end(), at,
                                 [](uint64_t place, const ProgramKernel& kernel) { return place < kernel.start; });
  if (behind == kernels.begin()) return nullptr;
  const ProgramKernel& kernel = *(behind - 1);
  return at < kernel.end ? &kernel : nullptr;
}

const std::string* ProgramRuntime::variable_at(const void* address) const {
  auto found = variables.find(reinterpret_cast<uint64_t>(address));
  return found == variables.end() ? nullptr : &found->second;
}

cudaError_t ProgramRuntime::note(const char* call, unsigned, cudaError_t error) {
  if (error == cudaSuccess || error == cudaErrorNotReady) return error;
  last = error;
  last_call = call;
  return error;
}

void ProgramRuntime::ignored(unsigned line, cudaError_t error) {
  if (error != cudaErrorNotReady) remember(last_call, line, error, false);
}

void ProgramRuntime::launch_failed(unsigned line, cudaError_t error) { remember(last_call, line, error, true); }

void ProgramRuntime::remember(const char* call, unsigned line, cudaError_t error, bool is_launch) {
  bool is_known = false;  // a sticky error comes with every later call: the first one tells
  for (const ProgramFailure& each : unseen_) is_known |= is_sticky(error) && each.error == error;
  if (is_known || unseen_.size() == ProgramReport::kFailures) return;
  ProgramFailure failure{};
  put(failure.call, sizeof failure.call, call);
  failure.line = line;
  failure.error = error;
  failure.is_launch = is_launch;
  unseen_.push_back(failure);
}

cudaError_t ProgramRuntime::launch(const ProgramKernel* kernel, ProgramLaunch& launch, unsigned line) {
  if (kernel == nullptr) return note("cudaLaunchKernel", line, cudaErrorInvalidDeviceFunction);
  uint64_t threads = 1;
  bool fits = true;
  for (int i = 0; i < 3; i++) {
    fits &= launch.grid[i] >= 1 && launch.grid[i] <= unsigned(properties.maxGridSize[i]);
    fits &= launch.block[i] >= 1 && launch.block[i] <= unsigned(properties.maxThreadsDim[i]);
    threads *= launch.block[i];
  }
  if (!fits || threads > unsigned(properties.maxThreadsPerBlock))
    return note(kernel->name.c_str(), line, cudaErrorInvalidConfiguration);
  if (threads > kernel->max_threads) return note(kernel->name.c_str(), line, cudaErrorLaunchOutOfResources);
  launch.kernel = kernel->number;
  put(report_.kernel, sizeof report_.kernel, kernel->name);
  report_.line = line;
  std::fflush(stdout);  // what the kernel prints comes after that
  return note(kernel->name.c_str(), line, device.launch(launch));
}

cudaError_t ProgramRuntime::last_error(bool forget) {
  cudaError_t error = last;
  if (error != cudaSuccess) {
    unseen_.erase(std::remove_if(unseen_.begin(), unseen_.end(),
                                 [error](const ProgramFailure& each) { return each.error == error; }),
                  unseen_.end());
  }
  if (forget && !is_sticky(error)) last = cudaSuccess;
  return error;
}

void ProgramRuntime::finish() {
  cudaError_t error = device.synchronize();
  bool is_news = error != cudaSuccess && error != last;
  if (is_news) remember(report_.kernel, report_.line, error, true);
  for (size_t i = 0; i < unseen_.size(); i++) report_.failures[i] = unseen_[i];
  report_.failure_count = uint32_t(unseen_.size());
  report_.ended = 1;
}

}  // namespace warpcell
