// The threads beside the command loop: one ends the process with its session, one samples gauges.
#pragma once
#include "device.h"

namespace warpcell {

// Ends this process when the socket hangs up or the parent is gone, also while a kernel spins. Runs until the process
// ends.
void watch_session(int socket, int parent);

// Samples the device four times a second into Control::gauges. Runs until the process ends.
void watch_gauges(Device& device, Control& control);

}  // namespace warpcell
