// Loads modules with the driver and keeps their kernels by id.
#include "module.h"

#include <algorithm>

#include "../../device.h"
#include "../../host/json.h"

namespace warpcell::cuda {
namespace {

constexpr uint32_t kDefaultDynamicShared = 48 * 1024;  // with the static part; more has to be asked for

}  // namespace

void Kernel::allow_shared(uint32_t bytes, uint32_t limit) {
  if (bytes <= dynamic_shared) return;
  if (uint64_t(bytes) + static_shared > limit) {
    throw DeviceError("INVALID_LAUNCH", "A block has at most " + std::to_string(limit) +
                                            " bytes of shared memory, but " + name + " needs " + std::to_string(bytes) +
                                            " dynamic and " + std::to_string(static_shared) + " static bytes.");
  }
  const DriverApi& api = driver();
  api.check(api.cuFuncSetAttribute(function, FunctionAttribute::max_dynamic_shared, int(bytes)),
            "asking for more shared memory");
  dynamic_shared = bytes;
}

std::vector<std::string> Modules::load(uint32_t module, uint32_t first_kernel, const std::string& artifact,
                                       const std::vector<std::string>& symbols) {
  if (modules_.count(module) != 0) throw known_module(module);
  Artifact parts = read_artifact(artifact);

  Loaded loaded = {nullptr, {}};
  api_.check(api_.cuModuleLoadData(&loaded.handle, parts.image().c_str()), "loading the module");
  // The symbol of the device's printf, in machine code as in PTX.
  bool prints = parts.image().find("vprintf") != std::string::npos;
  std::vector<std::string> descriptions;
  try {
    for (const auto& symbol : symbols) {
      uint32_t id = first_kernel + uint32_t(loaded.kernels.size());
      Kernel kernel = open(loaded.handle, symbol);
      kernel.prints = prints;
      descriptions.push_back(describe(kernel, parts));
      if (kernels_.size() <= id) kernels_.resize(id + 1);
      kernels_[id] = std::move(kernel);
      loaded.kernels.push_back(id);
    }
  } catch (const DeviceError&) {
    for (uint32_t id : loaded.kernels) kernels_[id] = Kernel();
    api_.cuModuleUnload(loaded.handle);
    throw;
  }
  modules_.emplace(module, std::move(loaded));
  return descriptions;
}

void Modules::unload(uint32_t module) {
  auto found = modules_.find(module);
  if (found == modules_.end()) throw unknown_module(module);
  for (uint32_t id : found->second.kernels) kernels_[id] = Kernel();
  Module handle = found->second.handle;
  modules_.erase(found);
  for (auto it = variables_.begin(); it != variables_.end();)
    it = it->second.module == module ? variables_.erase(it) : std::next(it);
  api_.check(api_.cuModuleUnload(handle), "unloading a module");
}

std::vector<uint64_t> Modules::find(uint32_t module, uint32_t first, const std::vector<std::string>& symbols) {
  auto found = modules_.find(module);
  if (found == modules_.end()) throw unknown_module(module);
  std::vector<uint64_t> bytes;
  for (const std::string& symbol : symbols) {
    Variable variable = {module, 0, 0};
    api_.check(api_.cuModuleGetGlobal(&variable.address, &variable.bytes, found->second.handle, symbol.c_str()),
               ("looking up " + symbol).c_str());
    variables_[first + uint32_t(bytes.size())] = variable;
    bytes.push_back(variable.bytes);
  }
  return bytes;
}

const Variable& Modules::variable(uint32_t number) const {
  auto found = variables_.find(number);
  if (found == variables_.end()) throw unknown_variable(number);
  return found->second;
}

Kernel Modules::open(Module handle, const std::string& symbol) {
  Kernel kernel;
  kernel.name = symbol;
  api_.check(api_.cuModuleGetFunction(&kernel.function, handle, symbol.c_str()), ("looking up " + symbol).c_str());
  api_.check(api_.cuFuncLoad(kernel.function), ("loading " + symbol).c_str());

  int shared = 0;
  api_.check(api_.cuFuncGetAttribute(&shared, FunctionAttribute::shared, kernel.function),
             "reading a kernel's attributes");
  kernel.static_shared = uint32_t(shared);
  kernel.dynamic_shared = kDefaultDynamicShared - std::min(kernel.static_shared, kDefaultDynamicShared);

  Parameter parameter;
  Result result;
  while ((result = api_.cuFuncGetParamInfo(kernel.function, kernel.parameters.size(), &parameter.offset,
                                           &parameter.size)) == kSuccess) {
    kernel.parameters.push_back(parameter);
  }
  // The driver has no count: one past the last is an invalid value, which it may also have logged.
  if (result != kInvalidValue) api_.check(result, "reading a kernel's parameters");
  take_driver_log();
  if (!kernel.parameters.empty())
    kernel.parameter_bytes = uint32_t(kernel.parameters.back().offset + kernel.parameters.back().size);
  return kernel;
}

std::string Modules::describe(const Kernel& kernel, const Artifact& artifact) {
  JsonObject object;
  object.text("name", kernel.name);

  constexpr struct {
    const char* name;
    FunctionAttribute attribute;
  } kAttributes[] = {
      {"registers", FunctionAttribute::registers},
      {"shared", FunctionAttribute::shared},
      {"local", FunctionAttribute::local},
      {"constant", FunctionAttribute::constant},
      {"maxThreads", FunctionAttribute::max_threads},
      {"binary", FunctionAttribute::binary},
  };
  for (const auto& [name, attribute] : kAttributes) {
    int value = 0;
    api_.check(api_.cuFuncGetAttribute(&value, attribute, kernel.function), "reading a kernel's attributes");
    object.number(name, value);
  }

  std::vector<std::string> cluster;
  bool has_cluster = false;
  for (FunctionAttribute attribute :
       {FunctionAttribute::cluster_width, FunctionAttribute::cluster_height, FunctionAttribute::cluster_depth}) {
    int value = 0;
    api_.check(api_.cuFuncGetAttribute(&value, attribute, kernel.function), "reading a kernel's attributes");
    has_cluster = has_cluster || value > 0;
    cluster.push_back(std::to_string(std::max(value, 1)));
  }
  object.raw("cluster", has_cluster ? json_list(cluster) : "null");
  object.raw("execution", "null");

  auto known = std::find_if(artifact.spills.begin(), artifact.spills.end(),
                            [&](const Spills& spills) { return spills.symbol == kernel.name; });
  bool found = known != artifact.spills.end();
  object.raw("spillStores", found ? std::to_string(known->stores) : "null");
  object.raw("spillLoads", found ? std::to_string(known->loads) : "null");

  std::vector<std::string> parameters;
  for (const auto& parameter : kernel.parameters) {
    parameters.push_back(
        JsonObject().number("offset", int64_t(parameter.offset)).number("size", int64_t(parameter.size)).done());
  }
  return object.raw("parameters", json_list(parameters)).done();
}

}  // namespace warpcell::cuda
