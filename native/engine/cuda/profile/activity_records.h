// Reads what CUPTI wrote: turns its records of kernels, copies and fills into those of profile.h, each with the command that caused it.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../../host/profile_log.h"
#include "activity_buffers.h"
#include "cupti_api.h"

namespace warpcell::cuda {

// A call of the driver, by CUPTI's number of it, and the command during which it was made.
struct Cause { uint32_t correlation; uint64_t sequence; };

class ActivityReader {
 public:
  // `causes` in the order of the calls. `own_stream`: CUPTI's number of the stream that is lane 0.
  ActivityReader(const CuptiApi& api, const std::vector<Cause>& causes, uint32_t own_stream, ProfileNames& names, std::vector<ProfileRecord>& records)
      : api_(api), causes_(causes), own_stream_(own_stream), names_(names), records_(records) {}

  void read(const FullBuffer& buffer);

 private:
  void add(const KernelActivity& activity);
  void add(const CopyActivity& activity);
  void add(const FillActivity& activity);
  void add(const OverheadActivity& activity);
  ProfileRecord& begin(ProfileKind kind, uint64_t start, uint64_t end);
  uint64_t sequence_of(uint32_t correlation) const;
  uint32_t lane_of(uint32_t stream) const { return stream == own_stream_ ? 0 : stream; }
  uint32_t kernel_name(const char* symbol);   // without its parameters

  const CuptiApi& api_;
  const std::vector<Cause>& causes_;
  uint32_t own_stream_;
  ProfileNames& names_;
  std::vector<ProfileRecord>& records_;
  std::unordered_map<const char*, uint32_t> kernels_;   // CUPTI keeps one text for each
};

}  // namespace warpcell::cuda
