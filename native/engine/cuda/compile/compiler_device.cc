// A device that only compiles: machine code for a GPU that this machine need not have, with NVRTC alone. Kernels of the
// library are made with it ahead of time.
#include "../../device.h"
#include "nvrtc.h"

namespace warpcell {
namespace cuda {
namespace {

// Newer than any driver there is: without one, every NVRTC will do.
constexpr int kAnyDriver = 99000;

class CompilerDevice final : public Device {
 public:
  CompilerDevice(int capability, Listener& listener)
      : capability_(capability), listener_(listener), nvrtc_(kAnyDriver, capability, Purpose::library) {}

  std::string properties() override {
    return "{\"name\":\"NVRTC\",\"kind\":\"cuda\",\"index\":" + std::to_string(capability_) + ",\"arch\":\"" +
           Nvrtc::architecture_of(capability_) +
           "\",\"warpSize\":32,\"multiprocessors\":0,\"maxThreadsPerBlock\":1024,\"maxBlock\":[1024,1024,64],"
           "\"maxGrid\":[2147483647,65535,65535],"
           "\"sharedPerBlock\":49152,\"sharedPerBlockOptin\":49152,\"memoryTotal\":0,\"shareable\":false,"
           "\"compiler\":" +
           nvrtc_.description() + "}";
  }
  Compiled compile(const CompileRequest& request) override { return nvrtc_.compile(request); }

  int segment_create(uint32_t, uint64_t) override { refuse(); }
  void segment_import(uint32_t, Memory, uint64_t, int) override { refuse(); }
  void segment_release(uint32_t) override { refuse(); }
  void* address(Place) override { refuse(); }
  std::vector<std::string> module_load(uint32_t, uint32_t, const std::string&,
                                       const std::vector<std::string>&) override {
    refuse();
  }
  void module_unload(uint32_t) override { refuse(); }
  std::vector<uint64_t> variables_find(uint32_t, uint32_t, const std::vector<std::string>&) override { refuse(); }
  void variable_write(uint32_t, const std::string&) override { refuse(); }
  std::string variable_read(uint32_t) override { refuse(); }
  std::string occupancy(uint32_t, uint32_t, uint32_t) override { refuse(); }
  std::string disassemble(const std::string&, const std::string&, const std::string&) override { refuse(); }
  void launch(const LaunchRequest&) override { refuse(); }
  void stream_open(uint32_t) override { refuse(); }
  void stream_wait(uint32_t, uint32_t) override { refuse(); }
  void event_record(uint32_t, uint32_t) override { refuse(); }
  void event_wait(uint32_t, uint32_t) override { refuse(); }
  void event_release(uint32_t) override { refuse(); }
  double event_elapsed(uint32_t, uint32_t) override { refuse(); }
  void copy(const CopyRequest&) override { refuse(); }
  void fill(const FillRequest&) override { refuse(); }
  void fence(uint32_t stream, uint64_t sequence) override { listener_.completed(stream, sequence); }
  void synchronize() override {}
  std::vector<double> time(const LaunchRequest&, uint32_t, uint32_t) override { refuse(); }
  void sample(Gauges&) override {}

 private:
  [[noreturn]] static void refuse() { throw DeviceError("UNSUPPORTED", "This device only compiles: it runs nothing."); }

  int capability_;
  Listener& listener_;
  Nvrtc nvrtc_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Device> open_nvrtc(int index, Control*, Listener& listener) {
  return std::make_unique<cuda::CompilerDevice>(index, listener);
}

}  // namespace warpcell
