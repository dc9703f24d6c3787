// Host functions of cells in the device process: runs them on a thread of their own, beside the session, which does
// what they ask for and hands the launches that they make to the device. program/ has how.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../protocol/commands.h"

namespace warpcell {

// What a function has done since the last step: JSON, a list of objects, whose last one says what it waits for or how
// it ended. The payload has the bytes that they speak of.
struct HostStep {
  std::string events;
  std::string payload;
};

struct HostCallRequest {
  uint64_t sequence;
  uint32_t module;
  std::string function;             // its symbol
  std::string name;                 // for people: "scaled of Cell [3]"
  std::vector<std::string> values;  // the arguments, as host_call in messages.h has them
};

class HostFunctions {
 public:
  virtual ~HostFunctions() = default;
  // `kernels`, `device`: as host_load in messages.h has them. Throws DeviceError.
  virtual void load(uint32_t module, const std::string& object, const std::vector<std::string>& kernels,
                    const std::vector<std::string>& device) = 0;
  virtual void unload(uint32_t module) = 0;
  // Returns when the function waits for the session, or has ended.
  virtual HostStep call(const HostCallRequest& request) = 0;
  virtual HostStep resume(uint64_t sequence, const std::vector<std::string>& values) = 0;
};

// `address`: where this process has a place. `control` gets the record of a crash.
std::unique_ptr<HostFunctions> make_host_functions(Control& control, std::function<void*(Place)> address);

}  // namespace warpcell
