// Keeps account of errors as CUDA's runtime does: the last one, and those that nobody has looked at.
#include "runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "../host/demangle.h"
#include "../host/object_symbols.h"

namespace warpcell {
namespace {

thread_local cudaError_t last = cudaSuccess;
thread_local const char* last_call = "";

// Errors after which a GPU's process can do nothing more; each later call returns them again.
bool is_sticky(cudaError_t error) { return error >= cudaErrorIllegalAddress && error <= cudaErrorLaunchFailure; }

void put(char* to, size_t size, const std::string& text) { std::snprintf(to, size, "%s", text.c_str()); }

}  // namespace

std::string expression_of(const std::string& symbol) {
  std::string name = function_name(demangle(symbol));
  for (size_t at = 0; (at = name.find("&(", at)) != std::string::npos;) {
    size_t end = at + 1;
    int depth = 0;
    do {
      depth += (name[end] == '(') - (name[end] == ')');
      end++;
    } while (depth > 0 && end < name.size());
    std::string inner = name.substr(at + 2, end - at - 3);
    size_t parameters = inner.rfind('(');
    name.replace(at + 1, end - at - 1, inner.substr(0, parameters));
    at++;
  }
  const std::string anonymous = "(anonymous namespace)::";
  for (size_t at; (at = name.find(anonymous)) != std::string::npos;) name.erase(at, anonymous.size());
  return name;
}

ProgramRuntime* program_runtime = nullptr;

ProgramRuntime::ProgramRuntime(ProgramDevice& device, ProgramReport& report) : device(device), report_(report) {
  device.properties(&properties);
}

void ProgramRuntime::add(const std::string& object, uint64_t base, const std::map<std::string, uint32_t>& numbers) {
  for (const ObjectSymbol& symbol : symbols_of(object)) {
    if (!symbol.is_function) {
      variables[base + symbol.at] = symbol.name;
      continue;
    }
    auto found = numbers.find(symbol.name);
    if (found == numbers.end()) continue;
    cudaFuncAttributes attributes{};
    device.kernel_attributes(found->second, &attributes);
    kernels.push_back({base + symbol.at, base + symbol.at + symbol.size, found->second, expression_of(symbol.name),
                       unsigned(attributes.maxThreadsPerBlock)});
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const ProgramKernel& a, const ProgramKernel& b) { return a.start < b.start; });
}

void ProgramRuntime::remove(uint64_t start, uint64_t end) {
  kernels.erase(std::remove_if(kernels.begin(), kernels.end(),
                               [&](const ProgramKernel& each) { return each.start >= start && each.start < end; }),
                kernels.end());
  variables.erase(variables.lower_bound(start), variables.lower_bound(end));
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
  std::lock_guard<std::mutex> lock(accounts_);
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
  launch.line = line;
  {
    std::lock_guard<std::mutex> lock(accounts_);
    put(report_.kernel, sizeof report_.kernel, kernel->name);
    report_.line = line;
  }
  std::fflush(stdout);  // what the kernel prints comes after that
  return note(kernel->name.c_str(), line, device.launch(launch));
}

cudaError_t ProgramRuntime::last_error(bool forget) {
  cudaError_t error = last;
  if (error != cudaSuccess) {
    std::lock_guard<std::mutex> lock(accounts_);
    unseen_.erase(std::remove_if(unseen_.begin(), unseen_.end(),
                                 [error](const ProgramFailure& each) { return each.error == error; }),
                  unseen_.end());
  }
  if (forget && !is_sticky(error)) last = cudaSuccess;
  return error;
}

std::vector<ProgramFailure> ProgramRuntime::take_unseen() {
  last = cudaSuccess;
  std::lock_guard<std::mutex> lock(accounts_);
  return std::move(unseen_);
}

void ProgramRuntime::finish() {
  cudaError_t error = device.synchronize();
  bool is_news = error != cudaSuccess && error != last;
  if (is_news) remember(report_.kernel, report_.line, error, true);
  std::lock_guard<std::mutex> lock(accounts_);
  for (size_t i = 0; i < unseen_.size(); i++) report_.failures[i] = unseen_[i];
  report_.failure_count = uint32_t(unseen_.size());
  report_.ended = 1;
}

}  // namespace warpcell
