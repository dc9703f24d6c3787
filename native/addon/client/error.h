// Errors of the client, each with a code that stays the same: what the exports throw in JavaScript.
#pragma once
#include <stdexcept>
#include <string>

namespace warpcell {

struct ClientError : std::runtime_error {
  ClientError(std::string code, const std::string& sentence) : std::runtime_error(sentence), code(std::move(code)) {}
  std::string code;
};

// "Could not <what>: <text of errno>."
ClientError system_error(const std::string& what, int number);

}  // namespace warpcell
