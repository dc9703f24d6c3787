// Cuts a text at its #line directives.
#include "named_lines.h"

#include <algorithm>
#include <cstdlib>

#include "../../host/text.h"

namespace warpcell::cpu {
namespace {

// `#line 3 "Cell [1]"` at the start of a line, with \" and \\ in the name.
bool read_directive(const std::string& line, size_t* number, std::string* name) {
  const std::string word = "#line ";
  if (!starts_with(line, word)) return false;
  char* end;
  *number = std::strtoul(line.c_str() + word.size(), &end, 10);
  size_t at = size_t(end - line.c_str());
  if (line.compare(at, 2, " \"") != 0) return false;
  name->clear();
  for (at += 2; at < line.size() && line[at] != '"'; at++) {
    if (line[at] == '\\') at++;
    *name += line[at];
  }
  return at < line.size();
}

}  // namespace

NamedLines::NamedLines(const std::string& text, const std::string& name) {
  sections_.push_back({name, 1, 1, 0});
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    starts_.push_back(at);
    size_t number;
    std::string other;
    if (end - at < 4096 && read_directive(text.substr(at, end - at), &number, &other))
      sections_.push_back({other, number, starts_.size() + 1, 0});
    else
      sections_.back().count++;
    at = end + 1;
  }
}

size_t NamedLines::line(const std::string& name, size_t number) const {
  for (const Section& section : sections_) {
    if (section.name == name && number >= section.first && number < section.first + section.count)
      return section.line + number - section.first;
  }
  return 0;
}

size_t NamedLines::start(const std::string& name, size_t number) const {
  size_t at = line(name, number);
  return at == 0 || at > starts_.size() ? std::string::npos : starts_[at - 1];
}

std::string NamedLines::named_in(const std::string& message) const {
  for (const Section& section : sections_) {
    if (starts_with(message, section.name + ":")) return section.name;
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> NamedLines::texts(const std::string& text) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> files;
  for (const Section& section : sections_) {
    auto file = std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.first == section.name; });
    if (file == files.end()) file = files.insert(files.end(), {section.name, {}});
    std::vector<std::string>& lines = file->second;
    lines.resize(std::max(lines.size(), section.first - 1 + section.count));
    for (size_t i = 0; i < section.count; i++) {
      size_t from = starts_[section.line - 1 + i], end = std::min(text.find('\n', from), text.size());
      lines[section.first - 1 + i] = text.substr(from, end - from);
    }
  }
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, lines] : files) {
    std::string joined;
    for (const std::string& line : lines) joined += line + "\n";
    result.push_back({name, joined});
  }
  return result;
}

}  // namespace warpcell::cpu
