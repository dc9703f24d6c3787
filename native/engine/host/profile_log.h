// What this process does while a profile is on: turns calls, launches and waits into records, and records with their
// names into the answer of profile_stop.
#pragma once
#include <ctime>
#include <string>
#include <unordered_map>
#include <vector>

#include "../device.h"
#include "record_list.h"

namespace warpcell {

// Of the clock that all records are on.
inline int64_t profile_clock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Texts that records name by number.
class ProfileNames {
 public:
  uint32_t number(const std::string& text);
  const std::vector<std::string>& texts() const { return texts_; }
  void clear();

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> texts_;
};

// A text that many records name: it keeps its number for the length of a profile, so that it is looked up once.
struct ProfileLabel {
  std::string text;
  uint32_t profile = 0;  // in which it has that number
  uint32_t number = 0;
};

// What a record says besides its times: known where a piece of work is begun, whichever thread does it.
struct ProfileMark {
  bool on;
  ProfileKind kind;
  uint32_t name;
  uint64_t sequence;

  // Null where there is no more room. Of a mark that is on.
  ProfileRecord* add_to(RecordList& records, int64_t start, int64_t end) const {
    ProfileRecord* record = records.add();
    if (record == nullptr) return nullptr;
    record->sequence = sequence;
    record->start = start;
    record->end = end;
    record->kind = kind;
    record->name = name;
    return record;
  }
};

// What the thread of the command loop does.
class ProfileLog {
 public:
  bool on() const { return on_; }

  // `sequence` is that of the command being performed, whenever it is read.
  void start(const uint64_t& sequence);
  void stop() { on_ = false; }
  uint64_t sequence() const { return *sequence_; }

  ProfileMark mark(ProfileKind kind, ProfileLabel& name) {
    if (__builtin_expect(!on_, 1)) return {};
    return {true, kind, number(name), *sequence_};
  }

  // Does `work`, and records how long it took. Work that throws has no record.
  template <class Work>
  void timed(ProfileKind kind, ProfileLabel& name, Work work) {
    if (__builtin_expect(!on_, 1)) return work();
    int64_t start = profile_clock();
    work();
    add(kind, name, start, profile_clock());
  }

  // Null where there is no more room. Both are to be called while the log is on.
  ProfileRecord* add(ProfileKind kind, ProfileLabel& name, int64_t start, int64_t end) {
    return mark(kind, name).add_to(records, start, end);
  }
  uint32_t number(ProfileLabel& label) {
    if (__builtin_expect(label.profile != profile_, 0)) {
      label.number = names.number(label.text);
      label.profile = profile_;
    }
    return label.number;
  }

  ProfileNames names;
  RecordList records;

 private:
  bool on_ = false;
  uint32_t profile_ = 0;  // counts them
  const uint64_t* sequence_ = nullptr;
};

// The answer of profile_stop. Records come in the order of their commands, and of time within one.
struct ProfileParts {
  std::vector<ProfileRecord> records;
  uint64_t dropped = 0;
  std::vector<std::string> notes;
  std::vector<std::string> counters;  // a JSON object each
  std::vector<std::string> samples;   // the same
};
Profile make_profile(ProfileParts parts, const ProfileNames& names);

// The answer of profile_start.
std::string profile_notes(const std::vector<std::string>& notes);

// Why there is nothing to stop.
DeviceError not_profiling();

}  // namespace warpcell
