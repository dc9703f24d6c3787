// Asks the driver for the occupancy of a kernel and works out its limit.
#include "occupancy.h"

#include <algorithm>
#include <iterator>

#include "../../device.h"
#include "../../host/json.h"

namespace warpcell::cuda {
namespace {

constexpr int kRegisterUnit =
    256;  // registers are given to a warp in units of this (CUDA programming guide, compute capability 3.0 and later)

struct Limit {
  const char* name;
  int blocks;
};

}  // namespace

std::string occupancy(const DriverApi& api, DeviceHandle device, const Kernel& kernel, uint32_t threads,
                      uint32_t shared) {
  auto read = [&](DeviceAttribute name) {
    int value = 0;
    api.check(api.cuDeviceGetAttribute(&value, name, device), "reading the device's properties");
    return value;
  };
  int registers = 0;
  api.check(api.cuFuncGetAttribute(&registers, FunctionAttribute::registers, kernel.function),
            "reading a kernel's attributes");
  if (threads == 0) throw DeviceError("INVALID_LAUNCH", "A block has at least one thread, not 0.");

  int blocks = 0, suggested_block = 0, suggested_grid = 0;
  api.check(api.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, int(threads), shared),
            "reading the occupancy");
  api.check(
      api.cuOccupancyMaxPotentialBlockSize(&suggested_grid, &suggested_block, kernel.function, nullptr, shared, 0),
      "reading the occupancy");

  int warp = read(DeviceAttribute::warp_size);
  int most_warps = read(DeviceAttribute::threads_per_multiprocessor) / warp;
  int block_warps = (int(threads) + warp - 1) / warp;
  int warp_registers = std::max(1, (registers * warp + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit);
  int block_shared = int(kernel.static_shared + shared) + read(DeviceAttribute::reserved_shared_per_block);

  // The driver's count decides; these only say which resource runs out first.
  const Limit limits[] = {
      {"warps", most_warps / block_warps},
      {"registers", read(DeviceAttribute::registers_per_multiprocessor) / (warp_registers * block_warps)},
      {"shared", kernel.static_shared + shared == 0 ? most_warps
                                                    : read(DeviceAttribute::shared_per_multiprocessor) / block_shared},
      {"blocks", read(DeviceAttribute::blocks_per_multiprocessor)},
  };
  auto least = std::min_element(std::begin(limits), std::end(limits),
                                [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });

  return JsonObject()
      .number("blocksPerMultiprocessor", blocks)
      .number("activeWarps", blocks * block_warps)
      .number("maxWarps", most_warps)
      .number("percent", 100 * blocks * block_warps / most_warps)
      .text("limiter", blocks == 0 ? "block size" : least->name)
      .number("suggestedBlock", suggested_block)
      .number("suggestedGrid", suggested_grid)
      .done();
}

}  // namespace warpcell::cuda
