// The CUDA device: turns the calls of engine/device.h into work for the driver, NVRTC and NVML.
#include "../device.h"

#include <cstdio>

#include "../host/json.h"
#include "compile/artifact.h"
#include "compile/disassembly.h"
#include "driver/driver_api.h"
#include "driver/graph.h"
#include "gauges.h"
#include "library_table.h"
#include "libraries/cublas_api.h"
#include "libraries/cufft_api.h"
#include "libraries/cusolver_api.h"
#include "libraries/cudnn_api.h"
#include "libraries/libraries.h"
#include "compile/module.h"
#include "compile/nvrtc.h"
#include "compile/occupancy.h"
#include "profile/cupti.h"
#include "profile/cupti_api.h"
#include "driver/segments.h"
#include "driver/streams.h"
#include "driver/textures.h"

namespace warpcell {
namespace cuda {
namespace {

int attribute(const DriverApi& api, DeviceHandle device, DeviceAttribute name) {
  int value = 0;
  api.check(api.cuDeviceGetAttribute(&value, name, device), "reading the device's properties");
  return value;
}

DeviceHandle find_device(const DriverApi& api, int index) {
  int count = 0;
  api.check(api.cuDeviceGetCount(&count), "counting the devices");
  if (index < 0 || index >= count) {
    throw DeviceError("NO_DEVICE", "There is no GPU " + std::to_string(index) + ": this machine has " +
                                       std::to_string(count) + (count == 1 ? ", number 0." : ", numbered from 0."));
  }
  DeviceHandle device = 0;
  api.check(api.cuDeviceGet(&device, index), "opening the device");
  return device;
}

// What kernels print between two looks at it, 256 bytes a call: later calls overwrite the first without a word. The
// default of 8.25 MiB holds 33,792; four times as much as here costs the first launch that prints 60 ms.
constexpr size_t kPrintfBytes = 64u << 20;

// The primary context is the one that CUDA's libraries use as well.
Context make_current(const DriverApi& api, DeviceHandle device) {
  Context context = nullptr;
  api.check(api.cuDevicePrimaryCtxRetain(&context, device), "making a context");
  api.check(api.cuCtxSetCurrent(context), "making a context");
  // A driver that knows no such limit keeps its own.
  api.cuCtxSetLimit(kLimitPrintf, kPrintfBytes);
  return context;
}

std::string bus_id(const DriverApi& api, DeviceHandle device) {
  char text[32] = "";
  api.check(api.cuDeviceGetPCIBusId(text, sizeof text, device), "reading the device's properties");
  return text;
}

class CudaDevice : public Device {
 public:
  CudaDevice(const DriverApi& api, int index, Control* control, Listener& listener)
      : api_(api),
        listener_(listener),
        index_(index),
        device_(find_device(api, index)),
        capability_(read(DeviceAttribute::major) * 10 + read(DeviceAttribute::minor)),
        nvrtc_(api.version, capability_, Purpose::cell),
        context_(make_current(api, device_)),
        gauges_(bus_id(api, device_)),
        modules_(api),
        segments_(api, device_, shareable()),
        streams_({api, control, uint32_t(read(DeviceAttribute::shared_per_block_optin)),
                  uint32_t(read(DeviceAttribute::cooperative_launch) ? read(DeviceAttribute::multiprocessors) : 0)}),
        textures_(api, segments_, streams_),
        libraries_(cuda_libraries({api, segments_, streams_, log_})),
        profiler_({api, context_, index, streams_, log_}) {}

  std::string properties() override;

  int segment_create(uint32_t segment, uint64_t bytes) override { return segments_.create(segment, bytes); }
  void segment_import(uint32_t segment, Memory memory, uint64_t bytes, int descriptor) override {
    segments_.import(segment, memory, bytes, descriptor);
  }
  void segment_release(uint32_t segment) override { segments_.release(segment); }
  void* address(Place place) override { return reinterpret_cast<void*>(segments_.address(place, 0)); }

  Compiled compile(const CompileRequest& request) override { return nvrtc_.compile(request); }
  std::vector<std::string> module_load(uint32_t module, uint32_t first_kernel, const std::string& artifact,
                                       const std::vector<std::string>& lowered) override {
    WatchedStretch stretch(streams_.at(0).watcher(), Stretch::foreign);
    return modules_.load(module, first_kernel, artifact, lowered);
  }
  void module_unload(uint32_t module) override { modules_.unload(module); }
  std::vector<uint64_t> variables_find(uint32_t module, uint32_t first,
                                       const std::vector<std::string>& symbols) override {
    WatchedStretch stretch(streams_.at(0).watcher(), Stretch::foreign);
    return modules_.find(module, first, symbols);
  }
  void variable_write(uint32_t number, const std::string& value) override {
    const Variable& variable = modules_.variable(number);
    if (value.size() != variable.bytes) throw wrong_value(value.size(), variable.bytes);
    move(variable.address, reinterpret_cast<DevicePointer>(value.data()), value.size());
  }
  std::string variable_read(uint32_t number) override {
    const Variable& variable = modules_.variable(number);
    std::string value(variable.bytes, '\0');
    move(reinterpret_cast<DevicePointer>(&value[0]), variable.address, value.size());
    return value;
  }
  std::string occupancy(uint32_t kernel, uint32_t threads, uint32_t shared) override;
  std::string disassemble(const std::string& artifact, const std::string& form, const std::string&) override {
    return cuda::disassemble(read_artifact(artifact), form);
  }

  void stream_open(uint32_t stream) override {
    streams_.open(stream);
    streams_.watch(streams_.at(0).watcher());
  }
  void stream_wait(uint32_t stream, uint32_t other) override { streams_.at(stream).wait(streams_.at(other)); }

  void event_record(uint32_t stream, uint32_t number) override {
    Event& event = events_[number];
    if (event == nullptr) api_.check(api_.cuEventCreate(&event, kEventDefault), "creating an event");
    streams_.at(stream).record(event);
  }
  void event_wait(uint32_t stream, uint32_t number) override {
    auto found = events_.find(number);
    if (found != events_.end()) streams_.at(stream).wait(found->second);
  }
  void event_release(uint32_t number) override {
    auto found = events_.extract(number);
    if (!found.empty()) api_.check(api_.cuEventDestroy(found.mapped()), "ending an event");
  }
  double event_elapsed(uint32_t first, uint32_t second) override {
    auto start = events_.find(first), end = events_.find(second);
    if (start == events_.end() || end == events_.end()) throw unrecorded_event();
    float milliseconds = 0;
    api_.check(api_.cuEventElapsedTime(&milliseconds, start->second, end->second), "reading the time between events");
    return milliseconds;
  }

  void launch(const LaunchRequest& request) override {
    Kernel& kernel = modules_.kernel(request.kernel);
    WorkStream& stream = streams_.at(request.stream);
    log_.timed(ProfileKind::call, launch_label_, [&] { stream.launch(kernel, request); });
  }
  void copy(const CopyRequest& request) override {
    DevicePointer to = segments_.address(request.destination, request.size);
    DevicePointer from = segments_.address(request.source, request.size);
    WorkStream& stream = streams_.at(request.stream);
    log_.timed(ProfileKind::call, copy_label_, [&] { stream.copy(to, from, request.size); });
  }
  void fill(const FillRequest& request) override {
    DevicePointer to = segments_.address(request.destination, request.size);
    WorkStream& stream = streams_.at(request.stream);
    log_.timed(ProfileKind::call, fill_label_, [&] { stream.fill(to, request.size, request.pattern, request.width); });
  }
  std::unique_ptr<Captured> capture(size_t count, const std::function<void(size_t)>& give) override {
    return std::make_unique<CapturedGraph>(api_, modules_, streams_, count, give);
  }
  void fence(uint32_t stream, uint64_t sequence) override {
    streams_.at(stream).fence(sequence, log_.on() ? profile_clock() : 0);
  }
  bool look() override;
  void synchronize() override {
    log_.timed(ProfileKind::wait, wait_label_, [&] {
      for (auto& stream : streams_.all()) stream->synchronize();
    });
    std::fflush(stdout);
  }
  std::vector<double> time(const LaunchRequest& request, uint32_t repeats, uint32_t warmup) override {
    return streams_.at(request.stream).time(modules_.kernel(request.kernel), request, repeats, warmup);
  }
  void idle() override {
    for (auto& stream : streams_.all()) stream->idle();
  }
  uint64_t last_suspect() override { return streams_.last_suspect(); }

  Libraries* libraries() override { return libraries_.get(); }
  std::vector<std::string> known_libraries() override;
  Profiler* profiler() override { return &profiler_; }
  Textures* textures() override { return &textures_; }

  void sample(Gauges& gauges) override { gauges_.sample(gauges); }

 private:
  // Between a variable and memory of this process, while no work is under way.
  void move(DevicePointer to, DevicePointer from, size_t bytes) {
    streams_.at(0).copy(to, from, bytes);
    streams_.at(0).synchronize();
  }

  int read(DeviceAttribute name) const { return attribute(api_, device_, name); }
  bool shareable() const {
    return read(DeviceAttribute::virtual_memory) != 0 && read(DeviceAttribute::posix_descriptors) != 0;
  }
  std::string compiler();

  const DriverApi& api_;
  Listener& listener_;
  int index_;
  DeviceHandle device_;
  int capability_;
  Nvrtc nvrtc_;  // before the context: its first compilation and the context's 200 ms overlap
  Context context_;
  GpuGauges gauges_;
  Modules modules_;
  Segments segments_;
  Streams streams_;
  GpuTextures textures_;
  std::map<uint32_t, Event> events_;
  ProfileLog log_;
  ProfileLabel launch_label_{"cuLaunchKernel"}, copy_label_{"cuMemcpyAsync"}, fill_label_{"cuMemsetAsync"},
      wait_label_{"waiting for the device"};
  std::unique_ptr<Libraries> libraries_;
  CuptiProfiler profiler_;
};

std::string CudaDevice::properties() {
  char name[256] = "";
  api_.check(api_.cuDeviceGetName(name, sizeof name, device_), "reading the device's properties");
  size_t total = 0;
  api_.check(api_.cuDeviceTotalMem(&total, device_), "reading the device's properties");
  std::string nvrtc = compiler();
  auto number = [&](DeviceAttribute which) { return std::to_string(read(which)); };

  return JsonObject()
      .text("name", name)
      .text("kind", "cuda")
      .number("index", index_)
      .text("arch", Nvrtc::architecture_of(capability_))
      .number("warpSize", read(DeviceAttribute::warp_size))
      .number("multiprocessors", read(DeviceAttribute::multiprocessors))
      .number("maxThreadsPerBlock", read(DeviceAttribute::max_threads_per_block))
      .raw("maxBlock", json_list({number(DeviceAttribute::max_block_x), number(DeviceAttribute::max_block_y),
                                  number(DeviceAttribute::max_block_z)}))
      .raw("maxGrid", json_list({number(DeviceAttribute::max_grid_x), number(DeviceAttribute::max_grid_y),
                                 number(DeviceAttribute::max_grid_z)}))
      .number("sharedPerBlock", read(DeviceAttribute::shared_per_block))
      .number("sharedPerBlockOptin", read(DeviceAttribute::shared_per_block_optin))
      .number("registersPerBlock", read(DeviceAttribute::registers_per_block))
      .number("memoryTotal", int64_t(total))
      .raw("compiler", nvrtc.empty() ? "null" : nvrtc)
      .text("driver", "CUDA " + version_text(api_.version))
      .boolean("shareable", shareable())
      .done();
}

std::vector<std::string> CudaDevice::known_libraries() {
  auto nvml = [&]() -> OpenedLibrary {
    if (gauges_.path().empty()) throw DeviceError("NO_LIBRARY", missing_sentence(kNvmlRow));
    return {gauges_.path(), gauges_.version()};
  };
  auto nvrtc = [&]() -> OpenedLibrary {
    const NvrtcApi& api = nvrtc_.api();
    return {api.path, std::to_string(api.major) + "." + std::to_string(api.minor)};
  };
  return {
      describe_library(kNvrtcRow, nvrtc),
      describe_library(kCublasRow, [&]() -> OpenedLibrary { return {cublas(api_).path, cublas(api_).version}; }),
      describe_library(kCusolverRow, [&]() -> OpenedLibrary { return {cusolver().path, cusolver().version}; }),
      describe_library(kCufftRow, [&]() -> OpenedLibrary { return {cufft().path, cufft().version}; }),
      describe_library(kCudnnRow, [&]() -> OpenedLibrary { return {cudnn().path, cudnn().version}; }),
      describe_library(kCuptiRow, [&]() -> OpenedLibrary { return {cupti(api_).path, cupti(api_).version}; }),
      describe_library(kNvmlRow, nvml),
  };
}

bool CudaDevice::look() {
  bool are_pending = false;
  for (auto& stream : streams_.all()) {
    Fence fence;
    while (stream->take_fence(&fence)) {
      if (log_.on() && fence.began != 0) {
        ProfileMark mark{true, ProfileKind::wait, log_.number(wait_label_), fence.sequence};
        mark.add_to(log_.records, fence.began, profile_clock());
      }
      std::fflush(stdout);
      listener_.completed(stream->number, fence.sequence);
    }
    are_pending = are_pending || stream->has_fences();
  }
  return are_pending;
}

// Empty when there is none: arrays and loaded modules work without, so it is an error only when a cell is compiled.
std::string CudaDevice::compiler() {
  try {
    return nvrtc_.description();
  } catch (const DeviceError& missing) {
    if (missing.code != "NO_NVRTC") throw;
    return "";
  }
}

std::string CudaDevice::occupancy(uint32_t id, uint32_t threads, uint32_t shared) {
  Kernel& kernel = modules_.kernel(id);
  kernel.allow_shared(shared, uint32_t(read(DeviceAttribute::shared_per_block_optin)));
  return cuda::occupancy(api_, device_, kernel, threads, shared);
}

}  // namespace
}  // namespace cuda

std::unique_ptr<Device> open_cuda(int index, Control* control, Listener& listener) {
  return std::make_unique<cuda::CudaDevice>(cuda::driver(), index, control, listener);
}

}  // namespace warpcell
