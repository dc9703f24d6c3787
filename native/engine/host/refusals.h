// What every device answers to a number that stands for nothing, or for something else already: the same code and
// sentence on each.
#pragma once
#include <cstdint>
#include <string>

#include "errors.h"

namespace warpcell {

inline DeviceError unrecorded_event() {
  return DeviceError("NOT_RECORDED", "An event of this device is not there: its device process was lost since.");
}

inline DeviceError unknown_module(uint32_t module) {
  return DeviceError("INVALID_MODULE", "Module " + std::to_string(module) + " is not loaded.");
}
inline DeviceError known_module(uint32_t module) {
  return DeviceError("INVALID_MODULE",
                     "Module " + std::to_string(module) + " is already loaded. A new one takes a new number.");
}
inline DeviceError unknown_kernel(uint32_t kernel) {
  return DeviceError("INVALID_LAUNCH",
                     "Kernel " + std::to_string(kernel) + " is not loaded. Its module may have been unloaded.");
}
inline DeviceError unknown_variable(uint32_t variable) {
  return DeviceError("INVALID_MODULE",
                     "Variable " + std::to_string(variable) + " is not loaded. Its module may have been unloaded.");
}
inline DeviceError wrong_value(size_t got, size_t bytes) {
  return DeviceError("PROTOCOL", "A value of " + std::to_string(got) + " bytes was sent for a variable of " +
                                     std::to_string(bytes) + " bytes.");
}
inline DeviceError unknown_texture(uint32_t texture) {
  return DeviceError("INVALID_LAUNCH", "Texture " + std::to_string(texture) + " is not there.");
}
inline DeviceError unknown_stream(uint32_t stream) {
  return DeviceError("PROTOCOL", "Stream " + std::to_string(stream) + " has not been opened.");
}
inline DeviceError unknown_segment(uint32_t segment) {
  return DeviceError("ILLEGAL_PLACE", "There is no segment " + std::to_string(segment) + " on this device.");
}
inline DeviceError known_segment(uint32_t segment) {
  return DeviceError("ILLEGAL_PLACE",
                     "Segment " + std::to_string(segment) + " exists already. A new one takes a new number.");
}
inline DeviceError outside_segment(uint32_t segment, uint64_t offset, uint64_t bytes, uint64_t segment_bytes) {
  return DeviceError("ILLEGAL_PLACE", std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                                          " do not lie inside segment " + std::to_string(segment) + ", which has " +
                                          std::to_string(segment_bytes) + " bytes.");
}

}  // namespace warpcell
