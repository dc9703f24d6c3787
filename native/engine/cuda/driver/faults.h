// The one error that a device reports for a failed driver call.
#pragma once
#include "../../device.h"
#include "driver_api.h"

namespace warpcell::cuda {

// The error of `result`; `doing` names the work: "launching axpy"; empty where the call only met the end of earlier
// work. Its details hold CUDA's own name and text, and the driver's log.
DeviceError failure(const DriverApi& api, Result result, const std::string& doing);

// Why cuInit found nothing to work with.
DeviceError no_device(const DriverApi& api, Result result);

}  // namespace warpcell::cuda
