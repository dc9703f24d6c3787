// warpcell-device program compile|run …: compiles the host code of a program, and runs a program in a process of its
// own, beside one that waits for its end and tells how it was.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../host/files.h"
#include "../host/json.h"
#include "../host/object_symbols.h"
#include "../host/text.h"
#include "errors.h"
#include "runtime.h"

namespace warpcell {
namespace {

constexpr int kReportDescriptor = 3;
constexpr int kExitUsage = 2;
constexpr int kExitNotStarted = 71;

struct Kind {
  const char* name;
  std::unique_ptr<ProgramDevice> (*open)(int index, Control* control);
};
constexpr Kind kKinds[] = {{"cpu", open_cpu_program}, {"cuda", open_cuda_program}};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(json_text(text));
  return json_list(quoted);
}

// --- compile

// "scale" of "ns::scale<float>".
std::string plain_name(const std::string& expression) {
  size_t end = std::min(expression.find('<'), expression.size());
  size_t scope = expression.rfind("::", end);
  return expression.substr(scope == std::string::npos ? 0 : scope + 2,
                           end - (scope == std::string::npos ? 0 : scope + 2));
}

// compile FOLDER HEADERS NAME [option …]: the folder's source and kernels become its object; what there is to say goes
// to standard output.
int compile(int count, char** arguments) {
  std::string folder = arguments[0];
  CompileRequest request;
  request.headers = arguments[1];
  request.name = arguments[2];
  request.options.assign(arguments + 3, arguments + count);
  try {
    request.source = read_file(folder + "/source");
    std::vector<std::string> wanted = lines_of(read_file(folder + "/names"));
    HostCompiled compiled = compile_host(request);
    std::vector<std::string> symbols, expressions;
    for (const ObjectSymbol& symbol : symbols_of(compiled.object)) {
      if (!symbol.is_function) continue;
      std::string expression = expression_of(symbol.name);
      if (std::find(wanted.begin(), wanted.end(), plain_name(expression)) == wanted.end()) continue;
      symbols.push_back(symbol.name);
      expressions.push_back(expression);
    }
    write_file(folder + "/object", compiled.object);
    std::printf("%s\n", JsonObject()
                            .text("log", compiled.log)
                            .raw("dependencies", json_texts(compiled.dependencies))
                            .raw("symbols", json_texts(symbols))
                            .raw("expressions", json_texts(expressions))
                            .done()
                            .c_str());
  } catch (const DeviceError& error) {
    std::printf(
        "%s\n",
        JsonObject().text("code", error.code).text("sentence", error.what()).text("log", error.details).done().c_str());
  }
  std::fflush(stdout);
  return 0;
}

// --- run

struct Run {
  std::string kind;
  int index;
  std::string folder;
  std::string name;
  std::vector<std::string> arguments;
};

// Loads and runs the program; ends the process.
[[noreturn]] void run_here(const Run& run, ProgramReport& report) {
  int status = kExitNotStarted;
  try {
    std::unique_ptr<ProgramDevice> device;
    for (const Kind& kind : kKinds) {
      if (run.kind == kind.name) device = kind.open(run.index, &report.control);
    }
    if (device == nullptr) throw DeviceError("UNKNOWN_DEVICE", "There is no kind of device \"" + run.kind + "\".");
    device->load(read_file(run.folder + "/artifact"), lines_of(read_file(run.folder + "/lowered")));
    auto* runtime = new ProgramRuntime(*device.release(), report);
    program_runtime = runtime;

    // Last of what is done at the end, since it was said first.
    std::atexit([] { program_runtime->finish(); });
    report.is_in_main = 1;
    std::string path = run.folder + "/object";
    void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr)
      throw DeviceError("INVALID_IMAGE", std::string("The program cannot be loaded: ") + dlerror());
    link_map* map = nullptr;
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    std::map<std::string, uint32_t> numbers;
    for (const std::string& symbol : lines_of(read_file(run.folder + "/symbols")))
      numbers.emplace(symbol, uint32_t(numbers.size()));
    runtime->add(read_file(path), map->l_addr, numbers);
    auto program = reinterpret_cast<int (*)(int, char**, char**)>(dlsym(handle, "main"));
    if (program == nullptr) throw DeviceError("INVALID_IMAGE", "The program has no main().");

    std::vector<std::string> words = {run.name};
    words.insert(words.end(), run.arguments.begin(), run.arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    status = program(int(words.size()), pointers.data(), environ);
  } catch (const DeviceError& error) {
    std::snprintf(report.problem, sizeof report.problem, "%s: %s", error.code.c_str(), error.what());
  }
  std::exit(status);
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? std::to_string(signal) : std::string("SIG") + name;
}

std::string fault_of(const Control& control) {
  if (control.error_count.load() == 0) return "null";
  const ErrorRecord& record = control.errors[0];
  return JsonObject().text("code", record.code).text("text", record.text).done();
}

// Waits for the program, and tells how it ended.
int wait_for(pid_t process, const ProgramReport& report) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
  std::string told = JsonObject()
                         .raw("exitCode", WIFEXITED(status) ? std::to_string(WEXITSTATUS(status)) : "null")
                         .raw("signal", WIFSIGNALED(status) ? json_text(signal_name(WTERMSIG(status))) : "null")
                         .text("problem", report.problem)
                         .raw("fault", fault_of(report.control))
                         .text("kernel", report.kernel)
                         .number("line", report.line)
                         .boolean("ended", report.ended != 0)
                         .raw("failures", failures_json(report.failures, report.failure_count))
                         .done();
  for (size_t at = 0; at < told.size();) {
    ssize_t written = write(kReportDescriptor, told.data() + at, told.size() - at);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) at += size_t(written);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// run KIND INDEX FOLDER NAME [argument …]
int run(int count, char** arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  void* memory = mmap(nullptr, sizeof(ProgramReport), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("warpcell-device program: mmap");
    return kExitNotStarted;
  }
  auto& report = *static_cast<ProgramReport*>(memory);
  Run run{arguments[0], std::atoi(arguments[1]), arguments[2], arguments[3], {arguments + 4, arguments + count}};
  pid_t waiting = getpid(), process = fork();
  if (process < 0) {
    std::perror("warpcell-device program: fork");
    return kExitNotStarted;
  }
  if (process > 0) return wait_for(process, report);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != waiting) _exit(kExitNotStarted);
  close(kReportDescriptor);
  // As on a screen: what is printed is there before a fault can take it.
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  run_here(run, report);
}

}  // namespace

int run_program_command(int count, char** arguments) {
  if (count >= 4 && std::strcmp(arguments[0], "compile") == 0) return compile(count - 1, arguments + 1);
  if (count >= 5 && std::strcmp(arguments[0], "run") == 0) return run(count - 1, arguments + 1);
  std::fprintf(stderr,
               "warpcell-device program takes: compile FOLDER HEADERS NAME [option …], or run KIND INDEX FOLDER NAME "
               "[argument …].\n");
  return kExitUsage;
}

}  // namespace warpcell
