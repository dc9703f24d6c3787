// The options of NVRTC for those of a %%cuda cell.
#pragma once
#include <string>
#include <vector>

namespace warpcell::cuda {

// What machine code is for. That of a library is made by the thousand and shipped, so it comes without lines of the
// source, which double its size, and without PTX.
enum class Purpose { cell, library };

struct CompileOptions {
  std::vector<std::string> nvrtc;  // "-std=c++17", "-arch=sm_90a" …, without include folders of ours
  std::string architecture;        // "sm_90a", or "compute_90" for PTX alone
  bool verbose = false;            // the compiler's report belongs in the log
  bool searches_user_folders = false;
};

// `options` as CompileRequest has them; `architecture` is the device's own, used where none is given.
// Throws DeviceError INVALID_OPTION naming an option that is not known.
CompileOptions compile_options(const std::vector<std::string>& options, const std::string& architecture,
                               Purpose purpose);

// Whether NVRTC's --minimal (CUDA 12.4: no types of the runtime, of textures or of headers) may suffice for the source:
// it is quicker by a third.
bool fits_minimal(const std::string& source);

}  // namespace warpcell::cuda
