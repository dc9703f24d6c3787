// The table of a cell's options and their meaning for NVRTC.
#include "compile_options.h"

#include <algorithm>
#include <iterator>

#include "../device.h"

namespace warpcell::cuda {
namespace {

struct Option {
  const char* name;    // with "=" where a value follows
  void (*apply)(CompileOptions& options, const std::string& value);
};

constexpr Option kOptions[] = {
  {"--std=", [](CompileOptions& o, const std::string& value) { o.nvrtc[0] = "-std=" + value; }},
  {"--arch=", [](CompileOptions& o, const std::string& value) { o.architecture = value; }},
  {"--define=", [](CompileOptions& o, const std::string& value) { o.nvrtc.push_back("-D" + value); }},
  {"--include=", [](CompileOptions& o, const std::string& value) {
    o.nvrtc.push_back("-I" + value);
    o.searches_user_folders = true;
  }},
  {"--flag=", [](CompileOptions& o, const std::string& value) {
    o.nvrtc.push_back(value);
    o.searches_user_folders = true;   // it may name one
  }},
  {"--fast-math", [](CompileOptions& o, const std::string&) { o.nvrtc.push_back("--use_fast_math"); }},
  {"--verbose", [](CompileOptions& o, const std::string&) { o.verbose = true; }},
};

std::string known_options() {
  std::string names;
  for (const auto& option : kOptions) names += (names.empty() ? "" : ", ") + std::string(option.name);
  return names;
}

// What --minimal leaves out, as it appears in a source; an include of anything may need it too.
constexpr const char* kNotMinimal[] = {"#include", "# include", "cudaError", "cudaStream", "cudaEvent", "cudaTexture", "cudaSurface", "cudaArray",
  "tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D", "cudaLaunch", "cudaMalloc", "cudaMemcpy", "<<<"};

}  // namespace

CompileOptions compile_options(const std::vector<std::string>& options, const std::string& architecture) {
  CompileOptions result;
  result.architecture = architecture;
  result.nvrtc = {"-std=c++17", "-lineinfo", "--device-as-default-execution-space", "--ptxas-options=-v"};

  for (const auto& text : options) {
    auto known = std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option& option) {
      std::string name = option.name;
      return name.back() == '=' ? text.rfind(name, 0) == 0 : text == name;
    });
    if (known == std::end(kOptions)) {
      throw DeviceError("INVALID_OPTION", "Expected one of " + known_options() + " but got " + text + ".");
    }
    size_t length = std::string(known->name).size();
    known->apply(result, text.substr(std::min(length, text.size())));
  }
  result.nvrtc.push_back("-arch=" + result.architecture);
  return result;
}

bool fits_minimal(const std::string& source) {
  return std::none_of(std::begin(kNotMinimal), std::end(kNotMinimal), [&](const char* word) { return source.find(word) != std::string::npos; });
}

}  // namespace warpcell::cuda
