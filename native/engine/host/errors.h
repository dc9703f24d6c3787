// How a device reports a failure: a stable code, one sentence and, where there is more to read, details. One mistake
// has one code on every device.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace warpcell {

// `fatal` means that the process can do nothing more (a poisoned context).
struct DeviceError : std::runtime_error {
  DeviceError(std::string code, const std::string& sentence, std::string details = "", bool fatal = false)
      : std::runtime_error(sentence), code(std::move(code)), details(std::move(details)), fatal(fatal) {}
  std::string code;
  std::string details;
  bool fatal;
};

}  // namespace warpcell
