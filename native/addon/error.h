// Errors of the client on their way to JavaScript: turns a C++ exception or an errno into one JavaScript error with a code.
#pragma once
#include <node_api.h>
#include <stdexcept>
#include <string>

namespace warpcell {

struct ClientError : std::runtime_error {
  ClientError(std::string code, const std::string& sentence) : std::runtime_error(sentence), code(std::move(code)) {}
  std::string code;
};

// "Expected to <what> but got: <text of errno>."
ClientError system_error(const std::string& what, int number);

// Throws in JavaScript and answers nullptr, so that `return throw_error(…)` is one expression.
napi_value throw_error(napi_env env, const std::string& code, const std::string& sentence);

}  // namespace warpcell
