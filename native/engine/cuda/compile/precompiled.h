// Precompiled headers for sources that begin with the toolkit's own: a tenth of the time for CUB or cuda::std, half for
// cuda_fp16. Turns a source into the NVRTC options that use them.
#pragma once
#include <mutex>
#include <string>
#include <vector>

namespace warpcell::cuda {

class PrecompiledHeaders {
 public:
  // Options to add, or none: only <headers> are precompiled, and only when no folder of the user's is searched, because
  // NVRTC does not notice when a header changes (seen with 13.0). None either where no folder can be made: slower, not
  // wrong.
  std::vector<std::string> options(const std::string& source, bool searches_user_folders);

 private:
  const std::string& folder();

  std::mutex making_;
  bool made_ = false;
  std::string folder_;  // of this process alone: NVRTC's files, up to 200 MB, are of no use to another
};

// The log without NVRTC's remarks about the files that it made or used.
std::string without_precompiled_remarks(const std::string& log);

}  // namespace warpcell::cuda
