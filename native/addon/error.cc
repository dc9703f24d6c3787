// What the system refused, as a sentence.
#include "error.h"

#include <cstring>

namespace warpcell {

ClientError system_error(const std::string& what, int number) {
  return {"SYSTEM", "Expected to " + what + " but got: " + std::strerror(number) + "."};
}

}  // namespace warpcell
