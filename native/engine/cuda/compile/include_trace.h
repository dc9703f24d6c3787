// The files that NVRTC reads for a source: turns options of its front end, and what that writes, into paths.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace warpcell::cuda {

// NVRTC has no option for a list of dependencies, but hands options on to its front end, which has. It writes into
// memory of this object, under one name for its life, since NVRTC compares options with those of its precompiled
// headers. One compilation at a time.
class IncludeTrace {
 public:
  IncludeTrace();
  IncludeTrace(const IncludeTrace&) = delete;
  IncludeTrace& operator=(const IncludeTrace&) = delete;
  ~IncludeTrace();

  // Empties the list, and returns options to add; none where there is no memory for it.
  std::vector<std::string> options();
  // Absolute paths of the files read since; nothing when NVRTC has not written the list.
  std::optional<std::vector<std::string>> files() const;

 private:
  int descriptor_;
};

}  // namespace warpcell::cuda
