// Walks through CUPTI's buffers.
#include "activity_records.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "../../host/demangle.h"

namespace warpcell::cuda {
namespace {

// Runs after each kernel that is counted.
constexpr const char* kCountersOwn = "WaitNs";

struct Named {
  uint32_t number;
  const char* name;
};

// CUpti_ActivityMemcpyKind
constexpr Named kCopies[] = {
    {1, "copy host to device"}, {2, "copy device to host"},   {8, "copy on the device"},
    {9, "copy on the host"},    {10, "copy between devices"},
};

// CUpti_ActivityOverheadKind
constexpr Named kOverheads[] = {
    {1, "compiling PTX"},
    {1 << 16, "profiler: emptying buffers"},
    {2 << 16, "profiler: instrumenting"},
    {3 << 16, "profiler: getting resources"},
    {4 << 16, "loading modules"},
    {5 << 16, "loading functions"},
    {6 << 16, "the queue of commands is full"},
    {7 << 16, "profiler: asking for buffers"},
    {8 << 16, "profiler: starting"},
};

template <size_t N>
const char* name_of(const Named (&table)[N], uint32_t number, const char* other) {
  auto known =
      std::find_if(std::begin(table), std::end(table), [&](const Named& named) { return named.number == number; });
  return known == std::end(table) ? other : known->name;
}

template <class Activity>
const Activity& as(const uint8_t* record) {
  return *reinterpret_cast<const Activity*>(record);
}

}  // namespace

void ActivityReader::read(const FullBuffer& buffer) {
  uint8_t* record = nullptr;
  CuptiResult result;
  while ((result = api_.cuptiActivityGetNextRecord(buffer.bytes, buffer.valid, &record)) == kCuptiSuccess) {
    switch (as<ActivityKind>(record)) {
      case ActivityKind::kernel:
        add(as<KernelActivity>(record));
        break;
      case ActivityKind::copy:
        add(as<CopyActivity>(record));
        break;
      case ActivityKind::fill:
        add(as<FillActivity>(record));
        break;
      case ActivityKind::overhead:
        add(as<OverheadActivity>(record));
        break;
    }
  }
  if (result != kCuptiBufferEnd) api_.check(result, "reading a profile's records");
}

void ActivityReader::add(const KernelActivity& activity) {
  if (counted_ && activity.name != nullptr && std::strcmp(activity.name, kCountersOwn) == 0) return;
  ProfileRecord& record = begin_work(ProfileKind::kernel, activity);
  record.name = kernel_name(activity.name);
  std::copy(activity.grid, activity.grid + 3, record.grid);
  std::copy(activity.block, activity.block + 3, record.block);
  record.static_shared = activity.static_shared;
  record.dynamic_shared = activity.dynamic_shared;
  record.local = activity.local;
  record.registers = activity.registers;
}

void ActivityReader::add(const CopyActivity& activity) {
  ProfileRecord& record = begin_work(ProfileKind::copy, activity);
  record.name = names_.number(name_of(kCopies, activity.copy_kind, "copy"));
  record.bytes = activity.bytes;
}

void ActivityReader::add(const FillActivity& activity) {
  ProfileRecord& record = begin_work(ProfileKind::fill, activity);
  record.name = names_.number("fill");
  record.bytes = activity.bytes;
}

void ActivityReader::add(const OverheadActivity& activity) {
  ProfileRecord& record = begin(ProfileKind::overhead, activity.start, activity.end);
  record.name = names_.number(name_of(kOverheads, activity.overhead, "profiler"));
}

ProfileRecord& ActivityReader::begin(ProfileKind kind, uint64_t start, uint64_t end) {
  ProfileRecord& record = records_.emplace_back();
  record.kind = kind;
  record.start = int64_t(start);
  record.end = int64_t(end);
  return record;
}

template <class Activity>
ProfileRecord& ActivityReader::begin_work(ProfileKind kind, const Activity& activity) {
  traced_.push_back({activity.correlation, uint32_t(records_.size())});
  ProfileRecord& record = begin(kind, activity.start, activity.end);
  record.lane = lane_of(activity.stream);
  return record;
}

uint32_t ActivityReader::kernel_name(const char* symbol) {
  auto known = kernels_.find(symbol);
  if (known != kernels_.end()) return known->second;
  std::string text = symbol == nullptr ? "a kernel without a name" : symbol;
  uint32_t number = names_.number(function_name(demangle(text)));
  kernels_.emplace(symbol, number);
  return number;
}

}  // namespace warpcell::cuda
