// Host functions in this process: loads their code, calls them on a thread of their own, and has a crash told by name.
#include "../host_functions.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../host/demangle.h"
#include "../host/error_slot.h"
#include "../host/errors.h"
#include "../host/shared_object.h"
#include "errors.h"
#include "host_call.h"
#include "runtime.h"
#include "session_device.h"

namespace warpcell {
namespace {

using Function = void (*)(const warpcell_value* values, size_t count);

// --- crashes

constexpr int kExitStatus = 70;  // as of every process that has left a record
constexpr size_t kSignalStack = 64 << 10;

struct Crashing {
  Control* control = nullptr;
  std::atomic<uint64_t> sequence{0};  // of the call; 0: none is under way
  char name[256] = "";
  std::map<int, struct sigaction> before;
};
Crashing crashing;
thread_local bool is_function_thread = false;
// Of the thread that runs functions: its lowest address, below which a guard lies.
uint64_t stack_start = 0;
constexpr uint64_t kStackMargin = 64 << 10;

const char* deed_of(int signal, const void* address) {
  switch (signal) {
    case SIGSEGV: {
      auto at = reinterpret_cast<uint64_t>(address);
      if (at >= stack_start - kStackMargin && at < stack_start + kStackMargin)
        return "used up its stack: its recursion is too deep, or its local arrays are too large";
    }
      return "accessed memory that is not its own (a pointer to device memory is one that host code cannot use)";
    case SIGBUS:
      return "accessed memory that is not there";
    case SIGFPE:
      return "divided an integer by zero";
    case SIGILL:
      return "ran an illegal instruction";
    default:
      return "called abort(), or an exception or assertion ended it";
  }
}

// Async-signal-safe.
[[noreturn]] void leave(const char* deed, const char* signal) {
  {
    ErrorSlot slot(*crashing.control);
    ErrorRecord& record = slot.record();
    record.sequence = record.last = crashing.sequence;
    record.fatal = 1;
    std::strcpy(record.code, "HOST_FUNCTION");
    std::snprintf(record.text, sizeof record.text, "The host function %s %s%s", crashing.name, deed, signal);
  }
  crashing.control->wake.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &crashing.control->wake, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  _exit(kExitStatus);
}

void on_signal(int signal, siginfo_t* information, void* context) {
  bool is_of_function = crashing.sequence != 0 && (is_function_thread || signal == SIGABRT);
  if (is_of_function) {
    char name[24];
    std::snprintf(name, sizeof name, " (SIG%s)", sigabbrev_np(signal));
    char deed[160];
    std::snprintf(deed, sizeof deed, "crashed: it %s", deed_of(signal, information->si_addr));
    leave(deed, name);
  }
  const struct sigaction& before = crashing.before[signal];
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, information, context);
  sigaction(signal, &before, nullptr);
  raise(signal);
}

void install_crashes(Control& control) {
  crashing.control = &control;
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    if (sigaction(signal, &action, &crashing.before[signal]) != 0)
      throw DeviceError("DRIVER", std::string("The device process cannot catch the faults of host functions: ") +
                                      std::strerror(errno) + ".");
  }
  std::atexit([] {
    if (is_function_thread && crashing.sequence != 0) leave("called exit(), which would end the device process", "");
  });
}

void use_signal_stack() {
  void* memory = mmap(nullptr, kSignalStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack{};
  stack.ss_size = kSignalStack;
  stack.ss_sp = memory;
  if (memory == MAP_FAILED || sigaltstack(&stack, nullptr) != 0)
    std::perror("warpcell-device: no stack for the handler of faults");
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* start = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &start, &bytes);
  pthread_attr_destroy(&attributes);
  stack_start = reinterpret_cast<uint64_t>(start);
}

// --- code

struct LoadedCode {
  void* handle;
  uint64_t start;
  uint64_t end;
};

// The end of the code that begins there.
uint64_t end_of(uint64_t base) {
  struct Search {
    uint64_t base;
    uint64_t end;
  } search{base, base};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        if (object->dlpi_addr != search.base) return 0;
        for (int i = 0; i < object->dlpi_phnum; i++) {
          const auto& part = object->dlpi_phdr[i];
          search.end = std::max<uint64_t>(search.end, search.base + part.p_vaddr + part.p_memsz);
        }
        return 1;
      },
      &search);
  return search.end;
}

class HostFunctionsHere final : public HostFunctions {
 public:
  HostFunctionsHere(Control& control, std::function<void*(Place)> address)
      : control_(control), address_(std::move(address)) {}

  void load(uint32_t module, const std::string& object, const std::vector<std::string>& kernels,
            const std::vector<std::string>& device) override {
    if (device_ == nullptr) begin(device);
    // Kernels stay known: code of several cells may launch one.
    LoadedCode code{};
    code.handle = load_shared_object(object);
    link_map* map = nullptr;
    dlinfo(code.handle, RTLD_DI_LINKMAP, &map);
    code.start = map->l_addr;
    code.end = end_of(code.start);
    std::map<std::string, uint32_t> numbers;
    for (const std::string& line : kernels) {
      std::istringstream words(line);
      std::string symbol, place;
      uint32_t number = 0;
      HostKernel kernel{};
      words >> symbol >> number >> kernel.max_threads;
      while (words >> place) {
        size_t colon = place.find(':');
        kernel.parameters.emplace_back(std::atoi(place.c_str()), std::atoi(place.c_str() + colon + 1));
      }
      numbers[symbol] = number;
      device_->add_kernel(number, std::move(kernel));
    }
    runtime_->add(object, code.start, numbers);
    code_[module] = std::move(code);
    refuse_early_calls(module);
  }

  void unload(uint32_t module) override {
    auto found = code_.find(module);
    if (found == code_.end()) return;
    runtime_->remove(found->second.start, found->second.end);
    dlclose(found->second.handle);
    code_.erase(found);
  }

  HostStep call(const HostCallRequest& request) override {
    if (call_ != nullptr) throw DeviceError("PROTOCOL", "A host function is called while another one runs.");
    auto found = code_.find(request.module);
    void* function = found == code_.end() ? nullptr : dlsym(found->second.handle, request.function.c_str());
    if (function == nullptr) throw DeviceError("PROTOCOL", "There is no host function " + request.function + ".");
    function_ = reinterpret_cast<Function>(function);
    auto call = std::make_unique<HostCall>(request.sequence, turns_, address_);
    arguments_ = call->arguments(request.values);
    call_ = std::move(call);
    host_call = call_.get();
    std::snprintf(crashing.name, sizeof crashing.name, "%s", request.name.c_str());
    crashing.sequence = request.sequence;
    return step();
  }

  HostStep resume(uint64_t sequence, const std::vector<std::string>& values) override {
    if (call_ == nullptr) throw DeviceError("PROTOCOL", "There is no host function to go on with.");
    call_->answer(values);
    crashing.sequence = sequence;
    return step();
  }

 private:
  void begin(const std::vector<std::string>& facts) {
    install_crashes(control_);
    device_ = new SessionDevice(facts);
    program_runtime = runtime_ = new ProgramRuntime(*device_, report_);
    std::thread([this] { work(); }).detach();
  }

  // What a variable is initialised with runs when the code is loaded, outside of a call.
  void refuse_early_calls(uint32_t module) {
    std::vector<ProgramFailure> failures = runtime_->take_unseen();
    if (failures.empty()) return;
    unload(module);
    throw DeviceError("INVALID_IMAGE", std::string(failures[0].call) + " in line " + std::to_string(failures[0].line) +
                                           " is called to initialise a variable, before any host function runs: call "
                                           "it in a function.");
  }

  // What the function's thread does.
  void work() {
    is_function_thread = true;
    use_signal_stack();
    turns_.wait_for_function_turn();
    for (;;) {
      function_(arguments_.data(), arguments_.size());
      std::fflush(stdout);
      std::vector<ProgramFailure> failures = runtime_->take_unseen();
      call_->end(failures_json(failures.data(), failures.size()));
      is_over_ = true;
      turns_.to_session();
    }
  }

  HostStep step() {
    turns_.to_function();
    HostStep step = call_->take_step();
    crashing.sequence = 0;
    if (is_over_) call_ = nullptr;
    is_over_ = false;
    return step;
  }

  Control& control_;
  std::function<void*(Place)> address_;
  SessionDevice* device_ = nullptr;
  ProgramRuntime* runtime_ = nullptr;
  ProgramReport report_{};
  std::map<uint32_t, LoadedCode> code_;
  Turns turns_;
  std::unique_ptr<HostCall> call_;
  Function function_ = nullptr;
  std::vector<warpcell_value> arguments_;
  bool is_over_ = false;
};

}  // namespace

std::unique_ptr<HostFunctions> make_host_functions(Control& control, std::function<void*(Place)> address) {
  return std::make_unique<HostFunctionsHere>(control, std::move(address));
}

}  // namespace warpcell
