// The CUDA device. For now it answers whether there is one.
#include "../device.h"

#include "driver_api.h"

namespace warpcell {

std::unique_ptr<Device> open_cuda(int index, Control* control) {
  cuda::driver();
  throw DeviceError("UNSUPPORTED", "Expected the CUDA device to be built in but this version lacks it.");
}

}  // namespace warpcell
