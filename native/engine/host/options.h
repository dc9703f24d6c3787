// The options of a %%cuda cell, which mean the same to every compiler: turns "--std=c++17", "--define=N=4" … into
// values.
#pragma once
#include <string>
#include <vector>

namespace warpcell {

struct CellOptions {
  std::string standard = "c++17";
  std::string architecture;           // empty: the device's own
  std::vector<std::string> defines;   // NAME=VALUE, or NAME, which stands for NAME=1
  std::vector<std::string> includes;  // folders
  std::vector<std::string> flags;     // for the compiler, as they are
  bool fast_math = false;
  bool library = false;  // a part of the library: it keeps to what C++ defines, and is compiled as it stands
  bool syntax = false;   // only what is wrong with the source is wanted: there may be no artifact
  bool check = false;    // launches are to be followed: only for the cpu
  bool count = false;    // and what they do in each line is counted
  bool follow = false;   // and a thread says what its variables hold
  bool split = false;    // a cell of a user: its kernels may become loops over a block's threads
  bool fibers = false;   // none of them does
  bool verbose = false;  // the compiler's report belongs in the log
};

// Throws DeviceError("INVALID_OPTION") naming an option that is not known.
CellOptions read_options(const std::vector<std::string>& options);

}  // namespace warpcell
