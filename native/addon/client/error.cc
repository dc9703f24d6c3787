// What the system refused, as a sentence.
#include "error.h"

#include <cstring>

namespace warpcell {

ClientError system_error(const std::string& what, int number) {
  return {"SYSTEM", "Could not " + what + ": " + std::strerror(number) + "."};
}

}  // namespace warpcell
