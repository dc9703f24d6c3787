// Keeps records and names, and puts them together.
#include "profile_log.h"

#include <algorithm>

#include "json.h"

namespace warpcell {
namespace {

std::vector<std::string> quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> list;
  for (const std::string& text : texts) list.push_back(json_text(text));
  return list;
}

}  // namespace

uint32_t ProfileNames::number(const std::string& text) {
  auto [known, is_new] = numbers_.emplace(text, uint32_t(texts_.size()));
  if (is_new) texts_.push_back(text);
  return known->second;
}

void ProfileNames::clear() {
  numbers_.clear();
  texts_.clear();
}

void ProfileLog::start(const uint64_t& sequence) {
  records.clear();
  records.prepare();
  names.clear();
  sequence_ = &sequence;
  profile_++;
  on_ = true;
}

Profile make_profile(ProfileParts parts, const ProfileNames& names) {
  std::stable_sort(parts.records.begin(), parts.records.end(),
                   [](const ProfileRecord& one, const ProfileRecord& other) {
                     return one.sequence != other.sequence ? one.sequence < other.sequence : one.start < other.start;
                   });
  std::string summary = JsonObject()
                            .raw("names", json_list(quoted(names.texts())))
                            .number("dropped", int64_t(parts.dropped))
                            .raw("notes", json_list(quoted(parts.notes)))
                            .raw("counters", json_list(parts.counters))
                            .raw("samples", json_list(parts.samples))
                            .done();
  return {summary, std::move(parts.records)};
}

std::string profile_notes(const std::vector<std::string>& notes) {
  return JsonObject().raw("notes", json_list(quoted(notes))).done();
}

DeviceError not_profiling() {
  return DeviceError("NOT_PROFILING",
                     "There is no profile to stop: none was started since this device process began. Start one first.");
}

}  // namespace warpcell
