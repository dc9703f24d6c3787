// How many blocks of a kernel fit on a multiprocessor, and what keeps more from fitting: turns a launch's sizes into
// one JSON object.
#pragma once
#include <cstdint>
#include <string>

#include "../driver/driver_api.h"
#include "module.h"

namespace warpcell::cuda {

// {"blocksPerMultiprocessor", "activeWarps", "maxWarps", "percent": 0 … 100 of the multiprocessor's warps, "limiter":
// "warps" | "registers" | "shared" | "blocks" | "block size" (not even one block fits), "suggestedBlock": threads of
// the block with the most warps in flight, "suggestedGrid": the fewest such blocks that fill the device}. `threads` a
// block, `shared` dynamic bytes a block.
std::string occupancy(const DriverApi& api, DeviceHandle device, const Kernel& kernel, uint32_t threads,
                      uint32_t shared);

}  // namespace warpcell::cuda
