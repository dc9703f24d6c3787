// The one place where the addon throws in JavaScript.
#include "error.h"

#include <cstring>

namespace warpcell {

ClientError system_error(const std::string& what, int number) {
  return {"SYSTEM", "Expected to " + what + " but got: " + std::strerror(number) + "."};
}

napi_value throw_error(napi_env env, const std::string& code, const std::string& sentence) {
  napi_throw_error(env, code.c_str(), sentence.c_str());
  return nullptr;
}

}  // namespace warpcell
