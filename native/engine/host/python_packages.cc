// Goes through the prefixes under which a Python may be installed.
#include "python_packages.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "programs.h"
#include "text.h"

namespace warpcell {

namespace fs = std::filesystem;

namespace {

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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

}  // namespace

fs::path program_folder() {
  std::error_code unreadable;
  return fs::read_symlink("/proc/self/exe", unreadable).parent_path();
}

std::vector<fs::path> entries_named(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code unreadable;  // what cannot be read, or not to its end, has no more to offer
  for (fs::directory_iterator entry(folder, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable)) {
    if (starts_with(entry->path().filename().string(), prefix)) found.push_back(entry->path());
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

std::vector<fs::path> site_packages() {
  fs::path home = environment("HOME");
  fs::path project = program_folder().parent_path().parent_path().parent_path();  // of native/build/Release
  std::vector<fs::path> sites;
  for (const auto& prefix : {environment("VIRTUAL_ENV"), project / ".venv", python_prefix(),
                             home.empty() ? home : home / ".local", fs::path("/usr/local")}) {
    if (prefix.empty()) continue;
    for (const auto& version : entries_named(prefix / "lib", "python3")) {
      for (const auto& site : {version / "site-packages", version / "dist-packages"}) {
        std::error_code unreadable;
        if (fs::is_directory(site, unreadable) && std::find(sites.begin(), sites.end(), site) == sites.end())
          sites.push_back(site);
      }
    }
  }
  return sites;
}

}  // namespace warpcell
