// What a cell's options mean for NVRTC.
#include "compile_options.h"

#include <algorithm>
#include <iterator>

#include "../../host/options.h"

namespace warpcell::cuda {
namespace {

// What --minimal leaves out, as it appears in a source; an include of anything may need it too.
constexpr const char* kNotMinimal[] = {"#include",    "# include",   "cudaError",  "cudaStream", "cudaEvent",
                                       "cudaTexture", "cudaSurface", "cudaArray",  "tex1D",      "tex2D",
                                       "tex3D",       "texCubemap",  "surf1D",     "surf2D",     "surf3D",
                                       "cudaLaunch",  "cudaMalloc",  "cudaMemcpy", "<<<"};

}  // namespace

CompileOptions compile_options(const std::vector<std::string>& options, const std::string& architecture,
                               Purpose purpose) {
  CellOptions given = read_options(options);
  CompileOptions result;
  result.architecture = given.architecture.empty() ? architecture : given.architecture;
  result.verbose = given.verbose;
  result.searches_user_folders = !given.includes.empty() || !given.flags.empty();  // a flag may name one
  result.nvrtc = {"-std=" + given.standard, "--device-as-default-execution-space", "--ptxas-options=-v",
                  "-arch=" + result.architecture};
  if (purpose == Purpose::cell) result.nvrtc.push_back("-lineinfo");
  for (const std::string& define : given.defines) result.nvrtc.push_back("-D" + define);
  for (const std::string& folder : given.includes) result.nvrtc.push_back("-I" + folder);
  if (given.fast_math) result.nvrtc.push_back("--use_fast_math");
  result.nvrtc.insert(result.nvrtc.end(), given.flags.begin(), given.flags.end());
  return result;
}

bool fits_minimal(const std::string& source) {
  return std::none_of(std::begin(kNotMinimal), std::end(kNotMinimal),
                      [&](const char* word) { return source.find(word) != std::string::npos; });
}

}  // namespace warpcell::cuda
