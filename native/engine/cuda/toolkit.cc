// Looks through Python wheels, conda, CUDA_PATH and /usr/local for parts of the CUDA toolkit.
#include "toolkit.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "../host/programs.h"
#include "../host/text.h"

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

// The folder's entries whose name starts with `prefix`, in descending order: newer versions first.
Paths matching(const fs::path& folder, const std::string& prefix) {
  Paths found;
  std::error_code unreadable;   // what cannot be read, or not to its end, has no more to offer
  for (fs::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end; entry.increment(unreadable)) {
    if (starts_with(entry->path().filename().string(), prefix)) found.push_back(entry->path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

// The installation prefix of the python3 on PATH: a virtual environment's own folder, else where its real file lies.
fs::path python_prefix() {
  fs::path python = find_on_path("python3");
  if (python.empty()) return {};
  std::error_code missing;
  fs::path here = python.parent_path().parent_path();
  if (fs::exists(here / "pyvenv.cfg", missing)) return here;
  fs::path real = fs::canonical(python, missing);
  return missing ? here : real.parent_path().parent_path();
}

Paths site_packages() {
  Paths sites;
  std::string home = environment("HOME");
  Paths prefixes = {environment("VIRTUAL_ENV"), python_prefix(), home.empty() ? fs::path() : fs::path(home) / ".local", "/usr/local"};
  for (const auto& prefix : prefixes) {
    if (prefix.empty()) continue;
    for (const auto& version : matching(prefix / "lib", "python3")) {
      add(sites, version / "site-packages");
      add(sites, version / "dist-packages");
    }
  }
  return sites;
}

}  // namespace

std::vector<std::string> toolkit_roots() {
  Paths roots;
  for (const auto& site : site_packages()) {
    for (const auto& wheel : matching(site / "nvidia", "cu1")) add(roots, wheel);   // CUDA 13 and later: one folder, nvidia/cu13
    for (const char* wheel : {"cuda_nvrtc", "cuda_runtime", "cuda_nvdisasm", "cuda_cuobjdump", "cuda_nvcc", "cuda_cccl"}) add(roots, site / "nvidia" / wheel);
  }
  for (const char* variable : {"CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"}) add(roots, environment(variable));
  for (const auto& toolkit : matching("/usr/local", "cuda")) add(roots, toolkit);

  std::vector<std::string> texts;
  for (const auto& root : roots) texts.push_back(root.string());
  return texts;
}

std::vector<std::string> find_libraries(const std::string& name) {
  std::vector<std::string> found;
  for (const fs::path root : toolkit_roots()) {
    for (const char* folder : {"lib", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
      for (const auto& file : matching(root / folder, name)) found.push_back(file.string());
    }
  }
  return found;
}

std::vector<std::string> find_headers(const std::string& beside) {
  Paths candidates;
  if (!beside.empty()) add(candidates, fs::path(beside).parent_path().parent_path() / "include");
  for (const fs::path root : toolkit_roots()) {
    for (const char* folder : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"}) add(candidates, root / folder);
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

std::string searched_places() {
  return "Python's site-packages/nvidia (VIRTUAL_ENV, python3 on PATH, ~/.local), CONDA_PREFIX, CUDA_PATH, CUDA_HOME, /usr/local/cuda* and the loader's folders";
}

}  // namespace warpcell::cuda
