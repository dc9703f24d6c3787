// Keeps what a thread does, and writes it as JSON.
#include "steps.h"

#include <algorithm>
#include <cstring>

#include "../../host/json.h"

namespace warpcell::cpu {
namespace {

std::string hexadecimal(const uint8_t* bytes, uint64_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (uint64_t i = 0; i < count; i++) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

void Steps::settle() {
  if (written_ == nullptr) return;
  Access& access = steps_.back().accesses.back();
  std::memcpy(access.held, written_, std::min<uint64_t>(access.bytes, kMostAccessed));
  written_ = nullptr;
}

void Steps::came(const char* file, uint32_t line, const char* function) {
  settle();
  if (all_++ < kMostSteps) steps_.push_back({file, line, function, {}, {}});
}

void Steps::told(const char* name, int index, char kind, uint64_t bits, const Memory* pointee) {
  if (all_ > kMostSteps) return;
  steps_.back().values.push_back(
      {name, index, kind, bits, pointee == nullptr ? -1 : pointee->subject, pointee == nullptr ? 0 : pointee->offset});
}

void Steps::accessed(const Memory& memory, bool is_read, bool is_write) {
  if (steps_.empty() || all_ > kMostSteps) return;
  settle();
  const char* how = is_read && is_write ? "change" : is_write ? "write" : "read";
  std::vector<Access>& accesses = steps_.back().accesses;
  // An atomic function of ours may be a read and an exchange.
  if (is_read && is_write && !accesses.empty() && accesses.back().subject == memory.subject &&
      accesses.back().offset == memory.offset)
    accesses.pop_back();
  accesses.push_back({how, memory.subject, memory.offset, memory.bytes, {}});
  if (is_write)
    written_ = memory.at;
  else
    std::memcpy(accesses.back().held, memory.at, std::min<uint64_t>(memory.bytes, kMostAccessed));
}

std::vector<std::string> Steps::finish() {
  settle();
  std::vector<std::string> texts = {JsonObject().number("all", int64_t(all_)).done()};
  for (const Step& step : steps_) {
    std::vector<std::string> values, accesses;
    for (const Value& value : step.values)
      values.push_back(JsonObject()
                           .text("name", value.name)
                           .number("index", value.index)
                           .text("kind", std::string(1, value.kind))
                           .text("bits", std::to_string(value.bits))
                           .number("subject", value.subject)
                           .number("offset", int64_t(value.offset))
                           .done());
    for (const Access& access : step.accesses)
      accesses.push_back(JsonObject()
                             .text("how", access.how)
                             .number("subject", access.subject)
                             .number("offset", int64_t(access.offset))
                             .number("bytes", int64_t(access.bytes))
                             .text("held", hexadecimal(access.held, std::min<uint64_t>(access.bytes, kMostAccessed)))
                             .done());
    texts.push_back(JsonObject()
                        .text("file", step.file)
                        .number("line", step.line)
                        .text("function", step.function)
                        .raw("values", json_list(values))
                        .raw("accesses", json_list(accesses))
                        .done());
  }
  return texts;
}

}  // namespace warpcell::cpu
