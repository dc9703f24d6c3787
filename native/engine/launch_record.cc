// Checks a Launch record before anything in it is believed.
#include "launch_record.h"

#include <cstring>

#include "host/text.h"

namespace warpcell {

namespace {

constexpr uint32_t kCooperative = 1;

constexpr size_t padded(size_t bytes) { return (bytes + 7) & ~size_t(7); }

void expect_not_empty(const char* what, const uint32_t (&size)[3]) {
  if (size[0] != 0 && size[1] != 0 && size[2] != 0) return;
  throw DeviceError("INVALID_LAUNCH",
                    std::string("A ") + what + " is at least 1×1×1, but this one is " + dimensions(size) + ".");
}

// What a kernel is given for a pointer, a texture or a surface.
uint64_t address_of(Device& device, Place place) {
  if (place == kNullPointer) return 0;
  if ((place & kTextureMark) == 0) return reinterpret_cast<uint64_t>(device.address(place));
  Textures* textures = device.textures();
  if (textures == nullptr) throw DeviceError("UNSUPPORTED", "This device has no textures.");
  return textures->handle(uint32_t(place));
}

}  // namespace

LaunchRequest read_launch(Device& device, Launch& launch, size_t bytes) {
  size_t offsets_at = sizeof(Launch);
  size_t arguments_at = offsets_at + padded(size_t(launch.pointer_count) * sizeof(uint16_t));
  if (bytes < sizeof(Launch) || arguments_at + launch.argument_bytes > bytes) {
    throw DeviceError("PROTOCOL",
                      "A launch record of " + std::to_string(bytes) + " bytes does not hold its arguments.");
  }
  expect_not_empty("grid", launch.grid);
  expect_not_empty("block", launch.block);

  auto* record = reinterpret_cast<uint8_t*>(&launch);
  auto* offsets = reinterpret_cast<const uint16_t*>(record + offsets_at);
  uint8_t* arguments = record + arguments_at;

  for (uint32_t i = 0; i < launch.pointer_count; i++) {
    if (size_t(offsets[i]) + sizeof(Place) > launch.argument_bytes)
      throw DeviceError("PROTOCOL", "A pointer of a launch lies beyond its arguments.");
    Place place;
    std::memcpy(&place, arguments + offsets[i], sizeof place);
    uint64_t address = address_of(device, place);
    std::memcpy(arguments + offsets[i], &address, sizeof address);
  }

  LaunchRequest request{};
  request.sequence = launch.header.sequence;
  request.stream = launch.header.stream;
  request.kernel = launch.kernel;
  std::memcpy(request.grid, launch.grid, sizeof request.grid);
  std::memcpy(request.block, launch.block, sizeof request.block);
  request.shared = launch.shared;
  request.cooperative = (launch.flags & kCooperative) != 0;
  for (int axis = 0; axis < 3; axis++) request.cluster[axis] = launch.flags >> (8 + 8 * axis) & 0xff;
  request.arguments = arguments;
  request.argument_bytes = launch.argument_bytes;
  return request;
}

}  // namespace warpcell
