// The table of a cell's options.
#include "options.h"

#include <algorithm>
#include <iterator>

#include "errors.h"
#include "text.h"

namespace warpcell {
namespace {

struct Option {
  const char* name;  // with "=" where a value follows
  void (*apply)(CellOptions& options, const std::string& value);
};

constexpr Option kOptions[] = {
    {"--std=", [](CellOptions& o, const std::string& value) { o.standard = value; }},
    {"--arch=", [](CellOptions& o, const std::string& value) { o.architecture = value; }},
    {"--define=", [](CellOptions& o, const std::string& value) { o.defines.push_back(value); }},
    {"--include=", [](CellOptions& o, const std::string& value) { o.includes.push_back(value); }},
    {"--flag=", [](CellOptions& o, const std::string& value) { o.flags.push_back(value); }},
    {"--fast-math", [](CellOptions& o, const std::string&) { o.fast_math = true; }},
    {"--library", [](CellOptions& o, const std::string&) { o.library = true; }},
    {"--syntax", [](CellOptions& o, const std::string&) { o.syntax = true; }},
    {"--check", [](CellOptions& o, const std::string&) { o.check = true; }},
    {"--count", [](CellOptions& o, const std::string&) { o.count = true; }},
    {"--follow", [](CellOptions& o, const std::string&) { o.follow = true; }},
    {"--split", [](CellOptions& o, const std::string&) { o.split = true; }},
    {"--fibers", [](CellOptions& o, const std::string&) { o.fibers = true; }},
    {"--verbose", [](CellOptions& o, const std::string&) { o.verbose = true; }},
};

std::string known_options() {
  std::string names;
  for (const Option& option : kOptions) names += (names.empty() ? "" : ", ") + std::string(option.name);
  return names;
}

}  // namespace

CellOptions read_options(const std::vector<std::string>& options) {
  CellOptions result;
  for (const std::string& text : options) {
    auto known = std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option& option) {
      std::string name = option.name;
      return name.back() == '=' ? starts_with(text, name) : text == name;
    });
    if (known == std::end(kOptions))
      throw DeviceError("INVALID_OPTION",
                        text + " is not an option of a CUDA cell. There are " + known_options() + ".");
    known->apply(result, text.substr(std::string(known->name).size()));
  }
  return result;
}

}  // namespace warpcell
