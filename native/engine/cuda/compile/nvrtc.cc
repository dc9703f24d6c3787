// Opens NVRTC where a toolkit, wheel or the loader has it, and compiles.
#include "nvrtc.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "../../host/dynamic_library.h"
#include "../../host/json.h"
#include "artifact.h"
#include "lambda_text.h"
#include "../library_table.h"
#include "toolkit.h"

namespace warpcell::cuda {
namespace {

constexpr int kOk = 0;
constexpr int kInvalidOption = 5;
constexpr const char* kWarmUpSource = "extern \"C\" __global__ void warm_up(int* p) { *p = 1; }";
// The library's const char* functions are in the table as the others are: the address is what matters.
std::string error_text(const NvrtcApi& api, int result) {
  auto text = reinterpret_cast<const char* (*)(int)>(api.nvrtcGetErrorString);
  return text(result);
}

}  // namespace

// One program; destroyed with its scope.
class ProgramScope {
 public:
  ProgramScope(const NvrtcApi& api, const CompileRequest& request) : api_(api) {
    check(api.nvrtcCreateProgram(&program_, request.source.c_str(), request.name.c_str(), 0, nullptr, nullptr),
          "taking the source");
    for (const auto& expression : request.expressions)
      check(api.nvrtcAddNameExpression(program_, expression.c_str()), "taking the name of a kernel");
  }
  ~ProgramScope() {
    if (program_ != nullptr) api_.nvrtcDestroyProgram(&program_);
  }
  ProgramScope(const ProgramScope&) = delete;
  ProgramScope& operator=(const ProgramScope&) = delete;

  int compile(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    for (const auto& option : options) texts.push_back(option.c_str());
    return api_.nvrtcCompileProgram(program_, int(texts.size()), texts.data());
  }

  std::string log() { return text(api_.nvrtcGetProgramLogSize, api_.nvrtcGetProgramLog, true); }
  std::string cubin() { return text(api_.nvrtcGetCUBINSize, api_.nvrtcGetCUBIN, false); }
  std::string ptx() { return text(api_.nvrtcGetPTXSize, api_.nvrtcGetPTX, true); }

  std::string lowered(const std::string& expression) {
    const char* name = nullptr;
    check(api_.nvrtcGetLoweredName(program_, expression.c_str(), &name), "looking up a kernel");
    return name;
  }

 private:
  void check(int result, const char* doing) {
    if (result == kOk) return;
    throw DeviceError("NVRTC", "NVRTC failed while " + std::string(doing) + " (" + error_text(api_, result) + ").");
  }

  std::string text(int (*size_of)(Program, size_t*), int (*get)(Program, char*), bool zero_ended) {
    size_t size = 0;
    check(size_of(program_, &size), "handing over its result");
    std::string bytes(size, '\0');
    if (size > 0) check(get(program_, &bytes[0]), "handing over its result");
    if (zero_ended) bytes.resize(std::min(bytes.find('\0'), bytes.size()));  // logs have had two zeros at the end
    return bytes;
  }

  const NvrtcApi& api_;
  Program program_ = nullptr;
};

namespace {

// NVRTC's text for a kernel that was asked for by name, as a file: "__nv_name_map(2)" becomes "kernel axpy<float>(1)".
// That the lookup failed too follows from what it says before.
std::string with_kernel_names(const std::string& log) {
  constexpr const char* kNameMap = "__nv_name_map(";
  constexpr const char* kPragma = "#pragma nv_mangled_name ";
  constexpr const char* kFollows = "Error in parsing name expression for lowered name lookup";
  std::string rest, block;
  std::istringstream lines(log);
  auto finish = [&] {
    size_t pragma = block.find(kPragma);
    if (block.rfind(kNameMap, 0) == 0 && pragma != std::string::npos) {
      pragma += std::char_traits<char>::length(kPragma);
      std::string expression = block.substr(pragma, block.find('\n', pragma) - pragma);
      block = "kernel " + expression + "(1)" + block.substr(block.find(')') + 1, block.find('\n') - block.find(')'));
    }
    if (block.find(kFollows) == std::string::npos) rest += block;
    block.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    block += line + "\n";
    if (line.empty()) finish();
  }
  finish();
  return rest;
}

std::string sibling(const std::string& path, const std::string& name) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

int major_in(const std::string& path) {
  size_t at = path.rfind(".so.");
  return at == std::string::npos ? 0 : std::atoi(path.c_str() + at + 4);
}

// libcu++ defines limits and constants that our headers for C's have defined before, in other words: no concern of the
// cell's author.
std::string without_known_redefinitions(const std::string& log, const std::string& folder) {
  constexpr const char* kRemark = "Remark: The warnings can be suppressed";
  std::string rest, block;
  bool has_remark = false;
  std::istringstream lines(log);
  auto finish = [&] {
    bool is_known =
        block.find("warning #47-D:") != std::string::npos && block.find(" of " + folder + "/") != std::string::npos;
    bool is_remark = block.rfind(kRemark, 0) == 0;
    has_remark = has_remark || is_remark;
    if (!is_known && !is_remark) rest += block;
    block.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    block += line + "\n";
    if (line.empty()) finish();
  }
  finish();
  if (has_remark && rest.find("warning #") != std::string::npos)
    rest += std::string(kRemark) + " \"-diag-suppress <warning-number>\"\n";
  return rest;
}

std::string readable(const std::string& log, const CompileRequest& request) {
  return with_kernel_names(without_known_redefinitions(without_precompiled_remarks(log), request.headers + "/cuda"));
}

Compiled collect(ProgramScope& program, const CompileRequest& request, const CompileOptions& options,
                 const IncludeTrace& includes, Purpose purpose) {
  std::string log = readable(program.log(), request);
  Report report = read_report(log);
  Artifact artifact;
  if (options.architecture.rfind("sm_", 0) == 0) artifact.cubin = program.cubin();
  if (artifact.cubin.empty() || purpose == Purpose::cell) artifact.ptx = program.ptx();
  artifact.spills = std::move(report.spills);

  Compiled compiled;
  compiled.log = options.verbose ? log : report.rest;
  compiled.artifact = artifact.bytes();
  for (const auto& expression : request.expressions) compiled.lowered.push_back(program.lowered(expression));
  compiled.dependencies = includes.files();
  return compiled;
}

// Files and loader names to try, best first. A library newer than the driver is left out, unless the user names it.
std::vector<std::string> candidates(int driver_version) {
  std::vector<std::string> paths;
  if (const char* chosen = std::getenv(kNvrtcRow.variable)) return {chosen};
  int newest = driver_version / 1000;
  for (const auto& path : find_libraries(kNvrtcRow.file)) {
    if (major_in(path) <= newest) paths.push_back(path);
  }
  for (int major = newest; major >= 12; major--) paths.push_back("libnvrtc.so." + std::to_string(major));
  return paths;
}

}  // namespace

std::string Nvrtc::architecture_of(int capability) {
  return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

Nvrtc::Nvrtc(int driver_version, int capability, Purpose purpose)
    : driver_version_(driver_version), capability_(capability), purpose_(purpose) {
  warm_up_ = std::thread([this] {
    try {
      compile({kWarmUpSource, "warm_up.cu", "", {"warm_up"}, {}});
    } catch (const std::exception&) {
      // Whoever compiles next meets the same failure, and reports it.
    }
  });
}

Nvrtc::~Nvrtc() { warm_up_.join(); }

const NvrtcApi& Nvrtc::api() {
  std::lock_guard<std::mutex> lock(opening_);
  if (!opened_) open();
  opened_ = true;
  if (!missing_.empty()) throw DeviceError("NO_NVRTC", missing_, tried_);
  return api_;
}

std::string Nvrtc::description() {
  const NvrtcApi& nvrtc = api();
  return JsonObject()
      .text("name", "NVRTC")
      .text("version", std::to_string(nvrtc.major) + "." + std::to_string(nvrtc.minor))
      .text("path", nvrtc.path)
      .done();
}

void Nvrtc::open() {
  for (const auto& path : candidates(driver_version_)) {
    DynamicLibrary library(path);
    if (!library) {
      tried_ += library.error() + "\n";
      continue;
    }
    NvrtcApi api;
    bool complete = true;
#define X(name, parameters) complete = library.resolve(#name, api.name) && complete;
    // clang-format off
    WARPCELL_NVRTC_FUNCTIONS(X)
// clang-format on
#undef X
    if (!complete || api.nvrtcVersion(&api.major, &api.minor) != kOk) {
      tried_ += path + ": not a complete NVRTC\n";
      continue;
    }
    // A plain libnvrtc.so does not say its version in its name.
    if (std::getenv(kNvrtcRow.variable) == nullptr && api.major > driver_version_ / 1000) {
      tried_ += path + ": of CUDA " + std::to_string(api.major) + ", newer than the driver\n";
      continue;
    }

    api.path = library.file_of("nvrtcVersion");
    // NVRTC asks the loader for this one by its bare name, and wheels lie outside the loader's folders.
    DynamicLibrary builtins(
        sibling(api.path, "libnvrtc-builtins.so." + std::to_string(api.major) + "." + std::to_string(api.minor)));
    if (!builtins) {
      tried_ += builtins.error() + "\n";
      continue;
    }

    int count = 0;
    if (api.nvrtcGetNumSupportedArchs(&count) == kOk) api.architectures.resize(size_t(count));
    if (count > 0) api.nvrtcGetSupportedArchs(api.architectures.data());
    api_ = api;
    headers_ = find_headers(api.path);
    return;
  }
  const char* chosen = std::getenv(kNvrtcRow.variable);
  if (chosen != nullptr) {
    missing_ = std::string(kNvrtcRow.variable) + " names " + chosen +
               ", which cannot be used as NVRTC. Correct the variable, or unset it.";
  } else {
    missing_ = "There is no NVRTC (libnvrtc.so of CUDA 12.4 or newer, up to " + std::to_string(driver_version_ / 1000) +
               ".x) in " + kNvrtcRow.searched + ". Get it with: " + kNvrtcRow.remedy + ".";
  }
}

int Nvrtc::run(ProgramScope& program, std::vector<std::string> options) {
  std::vector<std::string> traced = options;
  for (const auto& option : includes_.options()) traced.push_back(option);
  int result = program.compile(traced);
  if (result != kInvalidOption) return result;
  includes_.options();  // what is not asked for is not there
  return program.compile(options);
}

Compiled Nvrtc::compile(const CompileRequest& given) {
  const NvrtcApi& nvrtc = api();
  CompileRequest request = given;
  request.source = plain_lambdas(given.source);
  std::string own = architecture_of(capability_);
  CompileOptions options = compile_options(request.options, own, purpose_);
  const auto& known = nvrtc.architectures;
  if (options.architecture == own && std::find(known.begin(), known.end(), capability_) == known.end()) {
    throw DeviceError("ARCHITECTURE", "This GPU (" + own + ") is unknown to " + nvrtc.path + " (" +
                                          std::to_string(nvrtc.major) + "." + std::to_string(nvrtc.minor) +
                                          "). Get a newer one with: " + kNvrtcRow.remedy + ".");
  }

  std::vector<std::string> arguments = options.nvrtc;
  if (!request.headers.empty()) {
    arguments.push_back("-I" + request.headers + "/include");
    arguments.push_back("-I" + request.headers + "/cuda");
    arguments.push_back("--pre-include=warpcell_cuda/prelude.h");
  }
  for (const auto& folder : headers_) arguments.push_back("-I" + folder);

  std::lock_guard<std::mutex> lock(compiling_);
  int result = kOk;
  if (fits_minimal(request.source)) {
    ProgramScope program(nvrtc, request);
    auto minimal = arguments;
    minimal.push_back("--minimal");
    result = run(program, minimal);
    if (result == kOk) return collect(program, request, options, includes_, purpose_);
  }

  ProgramScope program(nvrtc, request);
  for (const auto& option : precompiled_.options(request.source, options.searches_user_folders))
    arguments.push_back(option);
  result = run(program, arguments);
  if (result == kOk) return collect(program, request, options, includes_, purpose_);
  std::string log = readable(program.log(), request);
  if (result == kInvalidOption)
    throw DeviceError("INVALID_OPTION", "NVRTC does not know an option: " + log.substr(0, log.find('\n')), log);
  throw DeviceError("COMPILE", request.name + " does not compile.", read_report(log).rest);
}

}  // namespace warpcell::cuda
