// Walks through CUPTI's buffers.
#include "activity_records.h"

#include <algorithm>
#include <iterator>

#include "../../host/demangle.h"

namespace warpcell::cuda {
namespace {

struct Named { uint32_t number; const char* name; };

// CUpti_ActivityMemcpyKind
constexpr Named kCopies[] = {
  {1, "copy host to device"}, {2, "copy device to host"}, {8, "copy on the device"}, {9, "copy on the host"}, {10, "copy between devices"},
};

// CUpti_ActivityOverheadKind
constexpr Named kOverheads[] = {
  {1, "compiling PTX"}, {1 << 16, "profiler: emptying buffers"}, {2 << 16, "profiler: instrumenting"}, {3 << 16, "profiler: getting resources"}, {4 << 16, "loading modules"},
  {5 << 16, "loading functions"}, {6 << 16, "the queue of commands is full"}, {7 << 16, "profiler: asking for buffers"}, {8 << 16, "profiler: starting"},
};

template <size_t N>
const char* name_of(const Named (&table)[N], uint32_t number, const char* other) {
  auto known = std::find_if(std::begin(table), std::end(table), [&](const Named& named) { return named.number == number; });
  return known == std::end(table) ? other : known->name;
}

template <class Activity>
const Activity& as(const uint8_t* record) { return *reinterpret_cast<const Activity*>(record); }

}  // namespace

void ActivityReader::read(const FullBuffer& buffer) {
  uint8_t* record = nullptr;
  CuptiResult result;
  while ((result = api_.cuptiActivityGetNextRecord(buffer.bytes, buffer.valid, &record)) == kCuptiSuccess) {
    switch (as<ActivityKind>(record)) {
      case ActivityKind::kernel: add(as<KernelActivity>(record)); break;
      case ActivityKind::copy: add(as<CopyActivity>(record)); break;
      case ActivityKind::fill: add(as<FillActivity>(record)); break;
      case ActivityKind::overhead: add(as<OverheadActivity>(record)); break;
    }
  }
  if (result != kCuptiBufferEnd) api_.check(result, "reading a profile's records");
}

void ActivityReader::add(const KernelActivity& activity) {
  ProfileRecord& record = begin(ProfileKind::kernel, activity.start, activity.end);
  record.sequence = sequence_of(activity.correlation);
  record.name = kernel_name(activity.name);
  record.lane = lane_of(activity.stream);
  std::copy(activity.grid, activity.grid + 3, record.grid);
  std::copy(activity.block, activity.block + 3, record.block);
  record.static_shared = activity.static_shared;
  record.dynamic_shared = activity.dynamic_shared;
  record.local = activity.local;
  record.registers = activity.registers;
}

void ActivityReader::add(const CopyActivity& activity) {
  ProfileRecord& record = begin(ProfileKind::copy, activity.start, activity.end);
  record.sequence = sequence_of(activity.correlation);
  record.name = names_.number(name_of(kCopies, activity.copy_kind, "copy"));
  record.lane = lane_of(activity.stream);
  record.bytes = activity.bytes;
}

void ActivityReader::add(const FillActivity& activity) {
  ProfileRecord& record = begin(ProfileKind::fill, activity.start, activity.end);
  record.sequence = sequence_of(activity.correlation);
  record.name = names_.number("fill");
  record.lane = lane_of(activity.stream);
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

uint64_t ActivityReader::sequence_of(uint32_t correlation) const {
  auto cause = std::lower_bound(causes_.begin(), causes_.end(), correlation, [](const Cause& one, uint32_t number) { return one.correlation < number; });
  return cause != causes_.end() && cause->correlation == correlation ? cause->sequence : 0;
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
