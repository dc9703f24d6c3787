// Counts findings and writes them as JSON, for the session to put into words.
#include "findings.h"

#include "../../host/json.h"

namespace warpcell::cpu {
namespace {

std::string three(uint64_t index, const uint32_t (&size)[3]) {
  return json_list({std::to_string(index % size[0]), std::to_string(index / size[0] % size[1]),
                    std::to_string(index / size[0] / size[1])});
}

// More are not told apart.
constexpr size_t kMostThreads = 1 << 20;

}  // namespace

void Findings::add(const Finding& finding) {
  Key key(finding.kind, finding.code, finding.other_code, finding.line.line, finding.subject);
  auto [place, is_new] = found_.try_emplace(key, Counted{finding, {}});
  Counted& counted = place->second;
  if (counted.threads.size() >= kMostThreads) return;
  counted.threads.insert(finding.culprit.block << 10 | finding.culprit.thread);
  counted.first.threads = counted.threads.size();
}

std::vector<std::string> Findings::written(const CheckedImage& image, const uint32_t (&grid)[3],
                                           const uint32_t (&block)[3]) {
  std::vector<uint64_t> offsets;
  for (auto& [key, counted] : found_) {
    for (uintptr_t code : {counted.first.code, counted.first.other_code})
      if (code != 0) offsets.push_back(code - image.base() - 1);  // a return address is behind its call
  }
  std::vector<CodeLine> lines = image.lines(offsets);
  size_t next = 0;
  std::vector<std::string> texts;
  for (auto& [key, counted] : found_) {
    Finding& found = counted.first;
    if (found.code != 0) found.line = lines[next++];
    if (found.other_code != 0) found.other_line = lines[next++];
    JsonObject object;
    object.text("kind", found.kind)
        .text("file", found.line.file)
        .number("line", found.line.line)
        .text("otherFile", found.other_line.file)
        .number("otherLine", found.other_line.line)
        .number("subject", found.subject)
        .number("offset", found.offset)
        .text("address", std::to_string(found.address))
        .number("bytes", found.bytes)
        .boolean("isWrite", found.is_write)
        .boolean("isAtomic", found.is_atomic)
        .boolean("otherIsWrite", found.other_is_write)
        .boolean("otherIsAtomic", found.other_is_atomic)
        .text("detail", found.detail)
        .number("threads", int64_t(found.threads))
        .raw("block", three(found.culprit.block, grid))
        .raw("thread", three(found.culprit.thread, block));
    if (found.has_other)
      object.raw("otherBlock", three(found.other.block, grid)).raw("otherThread", three(found.other.thread, block));
    texts.push_back(object.done());
  }
  return texts;
}

}  // namespace warpcell::cpu
