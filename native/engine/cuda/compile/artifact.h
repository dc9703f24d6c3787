// What a compilation leaves for loading and looking at: turns machine code, PTX and the assembler's figures into bytes
// and back.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpcell::cuda {

// What only ptxas knows of a kernel. Bytes a thread.
struct Spills {
  std::string symbol;
  int64_t stores;
  int64_t loads;
};

struct Artifact {
  std::string cubin;  // empty when only PTX was asked for (--arch=compute_90)
  std::string ptx;
  std::vector<Spills> spills;

  // What the driver loads.
  const std::string& image() const { return cubin.empty() ? ptx : cubin; }
  std::string bytes() const;
};

// Throws DeviceError INVALID_IMAGE for bytes that Artifact::bytes did not make.
Artifact read_artifact(const std::string& bytes);

// Takes ptxas's report (--ptxas-options=-v) out of a compile log: the spills of each kernel, and the log without the
// report.
struct Report {
  std::vector<Spills> spills;
  std::string rest;
};
Report read_report(const std::string& log);

}  // namespace warpcell::cuda
