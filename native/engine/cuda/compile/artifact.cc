// The bytes of a compiled CUDA source, and the reading of ptxas's report.
#include "artifact.h"

#include <cstdio>
#include <sstream>

#include "../../../protocol/fields.h"
#include "../../host/errors.h"
#include "../../host/text.h"

namespace warpcell::cuda {
namespace {

constexpr const char* kMark = "warpcell-cuda-1";
constexpr size_t kHeadFields = 3;  // mark, cubin, PTX; then three fields a kernel
constexpr size_t kSpillFields = 3;

}  // namespace

std::string Artifact::bytes() const {
  Fields fields = {kMark, cubin, ptx};
  for (const auto& kernel : spills) {
    fields.push_back(kernel.symbol);
    fields.push_back(std::to_string(kernel.stores));
    fields.push_back(std::to_string(kernel.loads));
  }
  return encode(fields);
}

Artifact read_artifact(const std::string& bytes) {
  Fields fields;
  bool sound = decode(bytes.data(), bytes.size(), &fields) && fields.size() >= kHeadFields && fields[0] == kMark &&
               (fields.size() - kHeadFields) % kSpillFields == 0;
  if (!sound) {
    throw DeviceError("INVALID_IMAGE", "These " + std::to_string(bytes.size()) +
                                           " bytes are not a cell compiled for a GPU. Compile the cell again.");
  }
  Artifact artifact;
  artifact.cubin = std::move(fields[1]);
  artifact.ptx = std::move(fields[2]);
  for (size_t i = kHeadFields; i < fields.size(); i += kSpillFields) {
    artifact.spills.push_back({std::move(fields[i]), std::strtoll(fields[i + 1].c_str(), nullptr, 10),
                               std::strtoll(fields[i + 2].c_str(), nullptr, 10)});
  }
  return artifact;
}

Report read_report(const std::string& log) {
  constexpr const char* kProperties = "ptxas info    : Function properties for ";
  constexpr const char* kContinued = "ptxas         .";
  Report report;
  std::istringstream lines(log);
  std::string line, symbol;
  while (std::getline(lines, line)) {
    long long frame = 0, stores = 0, loads = 0;
    if (starts_with(line, kProperties)) {
      symbol = line.substr(std::char_traits<char>::length(kProperties));
    } else if (std::sscanf(line.c_str(),
                           "ptxas . %lld bytes stack frame, %lld bytes spill stores, %lld bytes spill loads", &frame,
                           &stores, &loads) == 3) {
      report.spills.push_back({symbol, stores, loads});
    } else if (!starts_with(line, "ptxas info") && !starts_with(line, kContinued)) {
      report.rest += line + "\n";
    }
  }
  while (!report.rest.empty() && report.rest.back() == '\n') report.rest.pop_back();
  return report;
}

}  // namespace warpcell::cuda
