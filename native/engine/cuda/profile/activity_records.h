// Reads what CUPTI wrote: turns its records of kernels, copies and fills into those of profile.h, and says which call
// made each.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../host/profile_log.h"
#include "activity_buffers.h"
#include "causes.h"
#include "cupti_api.h"

namespace warpcell::cuda {

// Our numbers of streams by CUPTI's.
using StreamNumbers = std::unordered_map<uint32_t, uint32_t>;

class ActivityReader {
 public:
  // `counted`: CUPTI may have put kernels of its own around ours. Records are added to `records`.
  ActivityReader(const CuptiApi& api, StreamNumbers streams, bool counted, ProfileNames& names,
                 std::vector<ProfileRecord>& records)
      : api_(api), streams_(std::move(streams)), counted_(counted), names_(names), records_(records) {}

  void read(const FullBuffer& buffer);
  // The records of work among them.
  const std::vector<Traced>& traced() const { return traced_; }

 private:
  void add(const KernelActivity& activity);
  void add(const CopyActivity& activity);
  void add(const FillActivity& activity);
  void add(const OverheadActivity& activity);
  ProfileRecord& begin(ProfileKind kind, uint64_t start, uint64_t end);
  template <class Activity>
  ProfileRecord& begin_work(ProfileKind kind, const Activity& activity);
  // A library may have streams of its own, which have no other number.
  uint32_t lane_of(uint32_t stream) const {
    auto ours = streams_.find(stream);
    return ours != streams_.end() ? ours->second : stream;
  }
  uint32_t kernel_name(const char* symbol);  // without its parameters

  const CuptiApi& api_;
  const StreamNumbers streams_;
  bool counted_;
  ProfileNames& names_;
  std::vector<ProfileRecord>& records_;
  std::vector<Traced> traced_;
  std::unordered_map<const char*, uint32_t> kernels_;  // CUPTI keeps one text for each
};

}  // namespace warpcell::cuda
