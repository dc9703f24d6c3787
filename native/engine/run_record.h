// A library's call as it travels: turns a Run record into a RunRequest, and the text of a plan into its call and terms.
#pragma once
#include "device.h"

namespace warpcell {

// Throws DeviceError PROTOCOL for a record that contradicts itself.
RunRequest read_run(const Run& run, size_t bytes);

// "matmul m=2 a.type=float32": a call, then terms. Throws DeviceError PROTOCOL for a word without "=".
PlanRequest read_plan(uint32_t number, const std::string& text);

}  // namespace warpcell
