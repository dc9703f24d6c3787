// The CPU as a device: answers the calls of device.h with segments, the cell compiler, modules and the executor. It must not
// know the ring, the socket or JavaScript.
#include <algorithm>
#include <cstring>

#include "../device.h"
#include "segments.h"

namespace warpcell {
namespace cpu {
namespace {

[[noreturn]] void throw_unsupported(const std::string& sentence) { throw DeviceError("UNSUPPORTED", sentence); }

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(Control* control) : control_(control) {}

  std::string properties() override {
    return R"({"name":"CPU","kind":"cpu","index":0,"arch":"x86_64","warpSize":32,"multiprocessors":1,"maxThreadsPerBlock":1024,)"
           R"("maxBlock":[1024,1024,64],"maxGrid":[2147483647,65535,65535],"sharedPerBlock":49152,"sharedPerBlockOptin":232448,)"
           R"("registersPerBlock":65536,"memoryTotal":0,"compiler":null,"driver":null,"libraries":[],"shareable":true})";
  }

  int segment_create(uint32_t segment, uint64_t bytes) override { return segments_.create(segment, bytes); }
  void segment_import(uint32_t segment, Memory, uint64_t bytes, int descriptor) override { segments_.import(segment, bytes, descriptor); }
  void segment_release(uint32_t segment) override { segments_.release(segment); }
  void* address(Place place) override { return segments_.address(place); }

  Compiled compile(const CompileRequest&) override { throw_unsupported("Expected the cell compiler, but it is not built yet."); }
  std::vector<std::string> module_load(uint32_t, uint32_t, const std::string&, const std::vector<std::string>&) override {
    throw_unsupported("Expected modules, but they are not built yet.");
  }
  void module_unload(uint32_t) override {}
  std::string occupancy(uint32_t, uint32_t, uint32_t) override {
    throw_unsupported("Expected a GPU for a figure of occupancy, but the device is cpu. Run the cell with --device cuda.");
  }
  std::string disassemble(const std::string&, const std::string& form) override {
    throw_unsupported("Expected a GPU for " + form + ", but the device is cpu. Run the cell with --device cuda.");
  }

  void launch(const LaunchRequest&) override { throw_unsupported("Expected the executor, but it is not built yet."); }

  void copy(Place destination, Place source, uint64_t size) override {
    std::memcpy(segments_.range(destination, size), segments_.range(source, size), size);
  }

  void fill(Place destination, uint64_t size, uint64_t pattern, uint32_t width) override {
    uint8_t* to = segments_.range(destination, size);
    switch (width) {
      case 1: std::memset(to, int(pattern & 0xff), size); return;
      case 2: std::fill_n(reinterpret_cast<uint16_t*>(to), size / 2, uint16_t(pattern)); return;
      case 4: std::fill_n(reinterpret_cast<uint32_t*>(to), size / 4, uint32_t(pattern)); return;
      case 8: std::fill_n(reinterpret_cast<uint64_t*>(to), size / 8, pattern); return;
    }
    throw DeviceError("INVALID_FILL", "Expected a pattern of 1, 2, 4 or 8 bytes, but got " + std::to_string(width) + ".");
  }

  void synchronize() override {}
  std::vector<double> time(const LaunchRequest&, uint32_t, uint32_t) override { throw_unsupported("Expected the executor, but it is not built yet."); }
  void sample(Gauges&) override {}

 private:
  Control* control_;
  Segments segments_;
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Device> open_cpu(int index, Control* control) {
  if (index != 0) throw DeviceError("NO_DEVICE", "Expected device cpu, which is the only one of its kind, but got cpu:" + std::to_string(index) + ".");
  return std::make_unique<cpu::CpuDevice>(control);
}

}  // namespace warpcell
