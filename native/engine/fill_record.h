// Checks a Fill record before anything in it is believed.
#pragma once
#include <string>

#include "device.h"

namespace warpcell {

inline FillRequest read_fill(const Fill& fill) {
  bool is_width = fill.width == 1 || fill.width == 2 || fill.width == 4 || fill.width == 8;
  if (!is_width || fill.size % fill.width != 0) {
    throw DeviceError("PROTOCOL", "A fill takes whole elements of 1, 2, 4 or 8 bytes, not of " +
                                      std::to_string(fill.size) + " bytes of width " + std::to_string(fill.width) +
                                      ".");
  }
  return {fill.header.sequence, fill.header.stream, fill.destination, fill.size, fill.pattern, fill.width};
}

}  // namespace warpcell
