// Looks through Python wheels, conda, CUDA_PATH and /usr/local for parts of the CUDA toolkit.
#include "toolkit.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "../../host/programs.h"
#include "../../host/python_packages.h"

namespace warpcell::cuda {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void add(Paths& paths, const fs::path& path) {
  std::error_code unreadable;
  if (path.empty() || !fs::is_directory(path, unreadable)) return;
  if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

}  // namespace

std::vector<std::string> toolkit_roots() {
  Paths roots;
  for (const auto& site : site_packages()) {
    for (const auto& wheel : entries_named(site / "nvidia", "cu1"))
      add(roots, wheel);  // CUDA 13 and later: one folder, nvidia/cu13
    for (const char* wheel : {"cuda_nvrtc", "cuda_runtime", "cuda_nvdisasm", "cuda_cuobjdump", "cuda_nvcc", "cuda_cccl",
                              "cublas", "cudnn", "cufft", "cusolver", "cusparse", "nvjitlink", "cuda_cupti"})
      add(roots, site / "nvidia" / wheel);
  }
  for (const char* variable : {"CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"}) add(roots, environment(variable));
  for (const auto& toolkit : entries_named("/usr/local", "cuda")) add(roots, toolkit);

  std::vector<std::string> texts;
  for (const auto& root : roots) texts.push_back(root.string());
  return texts;
}

std::vector<std::string> find_libraries(const std::string& name) {
  std::vector<std::string> found;
  for (const fs::path root : toolkit_roots()) {
    for (const char* folder :
         {"lib", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "extras/CUPTI/lib64"}) {
      for (const auto& file : entries_named(root / folder, name)) found.push_back(file.string());
    }
  }
  return found;
}

std::vector<std::string> toolkit_files(const std::string& name) {
  std::vector<std::string> files = find_libraries(name);
  files.insert(files.end(), {name + ".13", name + ".12", name});
  return files;
}

std::vector<std::string> find_headers(const std::string& beside) {
  Paths candidates;
  if (!beside.empty()) {
    fs::path own = fs::path(beside).parent_path().parent_path();
    add(candidates, own / "include");
    add(candidates,
        own.parent_path() / "cuda_runtime" / "include");  // wheels of CUDA 12: the headers have one of their own
  }
  for (const fs::path root : toolkit_roots()) {
    for (const char* folder : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"})
      add(candidates, root / folder);
  }

  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& folder : candidates) {
    if (!fs::exists(folder / "cuda_fp16.h", missing)) continue;
    found.push_back(folder.string());
  }
  // Half of CUDA's own headers, cooperative_groups.h for one, include CCCL's.
  for (const auto& folder : candidates) {
    bool apart = fs::exists(folder / "cccl" / "nv" / "target", missing);
    if (!apart && !fs::exists(folder / "nv" / "target", missing)) continue;
    std::string place = apart ? (folder / "cccl").string() : folder.string();
    if (std::find(found.begin(), found.end(), place) == found.end()) found.push_back(place);
    break;
  }
  return found;
}

std::string find_program(const std::string& name) {
  for (const fs::path root : toolkit_roots()) {
    fs::path file = root / "bin" / name;
    if (access(file.c_str(), X_OK) == 0) return file.string();
  }
  for (const auto& site : site_packages()) {
    fs::path file = site / "triton" / "backends" / "nvidia" / "bin" / name;
    if (access(file.c_str(), X_OK) == 0) return file.string();
  }
  return find_on_path(name);
}

}  // namespace warpcell::cuda
