// A launch as it lies in the ring: turns a Launch record into a LaunchRequest with this process's addresses.
#pragma once
#include "device.h"

namespace warpcell {

// Replaces the places among the arguments, in the record itself. Throws DeviceError: INVALID_LAUNCH for an empty grid
// or block, ILLEGAL_PLACE for a pointer into an unknown segment, PROTOCOL for a record that contradicts itself.
LaunchRequest read_launch(Device& device, Launch& launch, size_t bytes);

}  // namespace warpcell
