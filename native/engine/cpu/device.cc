// The CPU as a device: answers the calls of device.h with segments, the cell compiler, modules and the cores.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <unordered_map>

#include "../device.h"
#include "../host/options.h"
#include "../host/refusals.h"
#include "../host/text.h"
#include "compile/cell_compiler.h"
#include "run/faults.h"
#include "libraries/libraries.h"
#include "libraries/openblas_library.h"
#include "library_table.h"
#include "machine.h"
#include "compile/module.h"
#include "run/pool.h"
#include "profile/profiler.h"
#include "run/segments.h"
#include "compile/user_cell.h"
#include "run/waiting.h"

namespace warpcell {
namespace cpu {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

[[noreturn]] void refuse(const std::string& sentence) { throw DeviceError("INVALID_LAUNCH", sentence); }

// The limits of a GPU: what cannot be launched there is not launched here.
void check(const LaunchRequest& request, const LoadedKernel& kernel) {
  for (int i = 0; i < 3; i++) {
    if (request.grid[i] < 1 || request.grid[i] > kMaxGrid[i]) {
      refuse("A grid has from 1×1×1 to " + dimensions(kMaxGrid) + " blocks, but this one has " +
             dimensions(request.grid) + ".");
    }
    if (request.block[i] < 1 || request.block[i] > kMaxBlock[i]) {
      refuse("A block has from 1×1×1 to " + dimensions(kMaxBlock) + " threads, but this one has " +
             dimensions(request.block) + ".");
    }
  }
  uint64_t threads = uint64_t(request.block[0]) * request.block[1] * request.block[2];
  if (threads > warpcell_cpu::kMaxThreads) {
    refuse("A block has at most " + std::to_string(warpcell_cpu::kMaxThreads) + " threads, but this one has " +
           std::to_string(threads) + " (" + dimensions(request.block) + ").");
  }
  if (threads > kernel.description->max_threads) {
    refuse("The kernel allows at most " + std::to_string(kernel.description->max_threads) +
           " threads in a block (__launch_bounds__), but this one has " + std::to_string(threads) + ".");
  }
  uint64_t blocks = uint64_t(request.grid[0]) * request.grid[1] * request.grid[2];
  if (request.cooperative && (blocks > Pool::kTogetherBlocks || blocks * threads > Pool::kTogetherThreads)) {
    refuse("A cooperative launch runs all its blocks at once: on the cpu at most " +
           std::to_string(std::min(Pool::kTogetherBlocks, Pool::kTogetherThreads / threads)) + " of " +
           std::to_string(threads) + " threads, but the grid has " + std::to_string(blocks) + ".");
  }
  // Without what functions declare: this kernel may call none of them.
  if (kernel.shared.own > kSharedPerBlock) {
    refuse("A kernel may declare at most " + std::to_string(kSharedPerBlock) +
           " bytes of shared memory, but this one declares " + std::to_string(kernel.shared.own) +
           ". Use dynamic shared memory for more.");
  }
  if (uint64_t(kernel.shared.own) + request.shared > kSharedPerBlockOptin) {
    refuse("A block has at most " + std::to_string(kSharedPerBlockOptin) +
           " bytes of shared memory, but this launch needs " + std::to_string(kernel.shared.own) + " static and " +
           std::to_string(request.shared) + " dynamic bytes.");
  }
  if (request.argument_bytes > kMaxArgumentBytes) {
    refuse("A launch has at most " + std::to_string(kMaxArgumentBytes) + " bytes of arguments, but this one has " +
           std::to_string(request.argument_bytes) + ".");
  }
  if (request.argument_bytes < kernel.description->argument_bytes) {
    refuse("The kernel takes " + std::to_string(kernel.description->argument_bytes) +
           " bytes of arguments, but the launch has " + std::to_string(request.argument_bytes) + ".");
  }
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(Control* control)
      : control_(control),
        pool_(*new Pool(usable_cores())),
        profiler_(pool_, log_),
        libraries_(cpu_libraries({segments_, control, log_, pool_})) {
    install_faults(control);
  }

  std::string properties() override { return machine_properties(pool_.cores()); }

  int segment_create(uint32_t segment, uint64_t bytes) override { return segments_.create(segment, bytes); }
  void segment_import(uint32_t segment, Memory, uint64_t bytes, int descriptor) override {
    segments_.import(segment, bytes, descriptor);
  }
  void segment_release(uint32_t segment) override { segments_.release(segment); }
  void* address(Place place) override { return segments_.address(place); }

  Compiled compile(const CompileRequest& request) override {
    return read_options(request.options).library ? compile_cell(request) : compile_user_cell(request);
  }

  std::vector<std::string> module_load(uint32_t number, uint32_t first_kernel, const std::string& artifact,
                                       const std::vector<std::string>& lowered) override {
    if (modules_.count(number) != 0) throw known_module(number);
    auto module = std::make_unique<Module>(artifact, lowered);
    std::vector<std::string> answers;
    for (LoadedKernel& kernel : module->kernels()) {
      kernels_[first_kernel + uint32_t(answers.size())] = &kernel;
      answers.push_back(describe(kernel));
    }
    modules_[number] = std::move(module);
    return answers;
  }

  void module_unload(uint32_t number) override {
    auto found = modules_.find(number);
    if (found == modules_.end()) throw unknown_module(number);
    for (LoadedKernel& kernel : found->second->kernels()) {
      for (auto it = kernels_.begin(); it != kernels_.end();)
        it = it->second == &kernel ? kernels_.erase(it) : std::next(it);
    }
    modules_.erase(found);
  }

  std::string occupancy(uint32_t, uint32_t, uint32_t) override {
    throw DeviceError(
        "UNSUPPORTED",
        "Only a GPU has an occupancy, and this kernel was compiled for the cpu. Run the cell with --device cuda.");
  }
  std::string disassemble(const std::string& artifact, const std::string& form, const std::string& headers) override {
    if (form == "assembly") return assembly_of(artifact, headers);
    throw DeviceError("NO_SUCH_FORM", "Only kernels of a GPU have " + form +
                                          ", and this one was compiled for the cpu. Run the cell with --device cuda.");
  }

  void launch(const LaunchRequest& request) override {
    LoadedKernel& kernel = prepare(request);
    run(request, kernel);
    control_->streams[0].progress.store(request.sequence, std::memory_order_release);
  }

  void copy(Place destination, Place source, uint64_t size) override {
    uint8_t* to = segments_.range(destination, size);
    const uint8_t* from = segments_.range(source, size);
    log_.moving(ProfileKind::copy, copy_label_, size, [&] { std::memcpy(to, from, size); });
  }

  void fill(Place destination, uint64_t size, uint64_t pattern, uint32_t width) override {
    uint8_t* to = segments_.range(destination, size);
    log_.moving(ProfileKind::fill, fill_label_, size, [&] {
      switch (width) {
        case 1:
          std::memset(to, int(pattern & 0xff), size);
          return;
        case 2:
          std::fill_n(reinterpret_cast<uint16_t*>(to), size / 2, uint16_t(pattern));
          return;
        case 4:
          std::fill_n(reinterpret_cast<uint32_t*>(to), size / 4, uint32_t(pattern));
          return;
        case 8:
          std::fill_n(reinterpret_cast<uint64_t*>(to), size / 8, pattern);
          return;
      }
    });
  }

  // A launch has ended, and what it printed is written, when launch() returns.
  void synchronize() override {}

  std::vector<double> time(const LaunchRequest& request, uint32_t repeats, uint32_t warmup) override {
    LoadedKernel& kernel = prepare(request);
    for (uint32_t i = 0; i < warmup; i++) run(request, kernel);
    std::vector<double> times;
    for (uint32_t i = 0; i < repeats; i++) {
      auto start = Clock::now();
      run(request, kernel);
      times.push_back(milliseconds(Clock::now() - start));
    }
    return times;
  }

  Libraries* libraries() override { return libraries_.get(); }
  std::vector<std::string> known_libraries() override {
    return {describe_library(kOpenBlasRow, []() -> OpenedLibrary { return {openblas().path, openblas().version}; })};
  }
  Profiler* profiler() override { return &profiler_; }

  void sample(Gauges& gauges) override {
    waiting_.look(pool_);
    sample_machine(gauges);
    int64_t computed = processor_time();
    auto time = Clock::now();
    double elapsed = milliseconds(time - sampled_) * 1e6 * pool_.cores();
    gauges.utilization = elapsed > 0 ? std::clamp(double(computed - computed_) / elapsed, 0.0, 1.0) : 0;
    computed_ = computed;
    sampled_ = time;
  }

 private:
  // Checks a launch, and copies its arguments to where a vector type finds its alignment.
  LoadedKernel& prepare(const LaunchRequest& request) {
    auto found = kernels_.find(request.kernel);
    if (found == kernels_.end()) throw unknown_kernel(request.kernel);
    check(request, *found->second);
    std::memcpy(arguments_, request.arguments, request.argument_bytes);
    blame(request.sequence);
    return *found->second;
  }

  void run(const LaunchRequest& request, LoadedKernel& kernel) {
    Job job{kernel.description, {}, arguments_, request.shared, request.cooperative};
    job.stack = kernel.stack;
    std::copy(request.grid, request.grid + 3, job.geometry.grid);
    std::copy(request.block, request.block + 3, job.geometry.block);
    if (__builtin_expect(!log_.on(), 1)) {
      run(job, kernel);
      return;
    }
    job.sequence = log_.sequence();
    job.name = log_.number(kernel.label);
    Span span = run(job, kernel);
    profiler_.counted(job);
    ProfileRecord* record = log_.add(ProfileKind::kernel, kernel.label, span.start, span.end);
    if (record == nullptr) return;
    std::copy(request.grid, request.grid + 3, record->grid);
    std::copy(request.block, request.block + 3, record->block);
    record->static_shared = kernel.shared.own;
    record->dynamic_shared = request.shared;
  }

  Span run(const Job& job, LoadedKernel& kernel) {
    if (job.cooperative) return pool_.run(job, kernel.cost);
    Waiting::Launch launch(waiting_, kernel.shared.kernel, job.geometry);
    return pool_.run(job, kernel.cost);
  }

  Control* control_;
  Segments segments_;
  Waiting waiting_;
  Pool& pool_;  // never deleted: its threads run until the process ends
  ProfileLog log_;
  ProfileLabel copy_label_{"copy"}, fill_label_{"fill"};
  CpuProfiler profiler_;
  std::unique_ptr<Libraries> libraries_;
  std::map<uint32_t, std::unique_ptr<Module>> modules_;
  std::unordered_map<uint32_t, LoadedKernel*> kernels_;
  alignas(64) uint8_t arguments_[kMaxArgumentBytes];
  int64_t computed_ = processor_time();
  Clock::time_point sampled_ = Clock::now();
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Device> open_cpu(int index, Control* control) {
  if (index != 0)
    throw DeviceError("NO_DEVICE",
                      "There is no device cpu:" + std::to_string(index) + ": the only one of its kind is cpu.");
  return std::make_unique<cpu::CpuDevice>(control);
}

}  // namespace warpcell
