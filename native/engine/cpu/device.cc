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
#include "check/aliases.h"
#include "check/checker.h"
#include "compile/cell_compiler.h"
#include "run/faults.h"
#include "libraries/libraries.h"
#include "libraries/openblas_library.h"
#include "library_table.h"
#include "machine.h"
#include "compile/module.h"
#include "profile/profiler.h"
#include "run/segments.h"
#include "run/streams.h"
#include "run/textures.h"
#include "compile/user_cell.h"

namespace warpcell {
namespace cpu {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

[[noreturn]] void refuse(const std::string& sentence) { throw DeviceError("INVALID_LAUNCH", sentence); }

// The limits of a GPU: what cannot be launched there is not launched here.
void check_limits(const LaunchRequest& request, const LoadedKernel& kernel) {
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
  const uint32_t* cluster = request.cluster[0] != 0 ? request.cluster : kernel.cluster;
  uint32_t together = cluster[0] * cluster[1] * cluster[2];
  if (together < 1 || together > warpcell_cpu::kMaxCluster || request.grid[0] % cluster[0] != 0 ||
      request.grid[1] % cluster[1] != 0 || request.grid[2] % cluster[2] != 0) {
    refuse("Clusters of up to " + std::to_string(warpcell_cpu::kMaxCluster) +
           " blocks make up a grid, but this grid has " + dimensions(request.grid) + " blocks, and a cluster " +
           std::to_string(cluster[0]) + "×" + std::to_string(cluster[1]) + "×" + std::to_string(cluster[2]) + ".");
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
  CpuDevice(Control* control, Listener& listener)
      : streams_(usable_cores(), control, listener),
        profiler_(streams_, log_),
        libraries_(cpu_libraries({segments_, streams_, log_})) {
    install_faults(control);
  }

  std::string properties() override { return machine_properties(streams_.cores()); }

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
    for (auto it = variables_.begin(); it != variables_.end();)
      it = it->second.module == number ? variables_.erase(it) : std::next(it);
  }

  std::vector<uint64_t> variables_find(uint32_t number, uint32_t first,
                                       const std::vector<std::string>& symbols) override {
    auto found = modules_.find(number);
    if (found == modules_.end()) throw unknown_module(number);
    std::vector<uint64_t> bytes;
    for (const std::string& symbol : symbols) {
      warpcell_cpu::Variable variable = found->second->variable(symbol);
      variables_[first + uint32_t(bytes.size())] = {number, variable};
      bytes.push_back(variable.bytes);
    }
    return bytes;
  }
  void variable_write(uint32_t number, const std::string& value) override {
    const warpcell_cpu::Variable& variable = this->variable(number);
    if (value.size() != variable.bytes) throw wrong_value(value.size(), variable.bytes);
    std::memcpy(variable.address, value.data(), value.size());
  }
  std::string variable_read(uint32_t number) override {
    const warpcell_cpu::Variable& variable = this->variable(number);
    return std::string(static_cast<const char*>(variable.address), variable.bytes);
  }

  std::string occupancy(uint32_t, uint32_t, uint32_t) override {
    throw DeviceError("UNSUPPORTED",
                      "Only a GPU has an occupancy, and this kernel was compiled for the cpu. Name an architecture, "
                      "kernel.occupancy(256, "
                      "0, \"sm_90\"), or run the cell with --device cuda.");
  }
  std::string disassemble(const std::string& artifact, const std::string& form, const std::string& headers) override {
    if (form == "assembly") return assembly_of(artifact, headers);
    throw DeviceError("NO_SUCH_FORM", "Only kernels of a GPU have " + form +
                                          ", and this one was compiled for the cpu. Run the cell with --device cuda.");
  }

  void stream_open(uint32_t stream) override { streams_.open(stream); }
  void stream_wait(uint32_t stream, uint32_t other) override {
    if (stream != other) streams_.at(stream).wait(streams_.at(other));
  }

  void event_record(uint32_t stream, uint32_t event) override {
    WorkStream& on = streams_.at(stream);
    auto reached = std::make_shared<std::atomic<int64_t>>(0);
    on.give(0, [reached] { *reached = profile_clock(); });
    events_[event] = {&on, on.given(), reached};
  }
  void event_wait(uint32_t stream, uint32_t event) override {
    auto found = events_.find(event);
    if (found == events_.end() || found->second.stream->number == stream) return;
    streams_.at(stream).wait_until(*found->second.stream, found->second.count);
  }
  void event_release(uint32_t event) override { events_.erase(event); }
  double event_elapsed(uint32_t first, uint32_t second) override {
    auto start = events_.find(first), end = events_.find(second);
    if (start == events_.end() || end == events_.end()) throw unrecorded_event();
    return double(*end->second.reached - *start->second.reached) / 1e6;
  }

  void launch(const LaunchRequest& request) override {
    WorkStream& stream = streams_.at(request.stream);
    LoadedKernel& kernel = checked(request);
    ProfileMark mark = log_.mark(ProfileKind::kernel, kernel.label);
    if (!stream.has_thread()) return launch(stream, request, kernel, mark);

    // The record is gone when the thread comes to it.
    std::vector<uint8_t> arguments(request.arguments, request.arguments + request.argument_bytes);
    stream.give(request.sequence, [this, &stream, &kernel, kept = request, mark, arguments]() mutable {
      kept.arguments = arguments.data();
      launch(stream, kept, kernel, mark);
    });
  }

  void copy(const CopyRequest& request) override {
    uint8_t* to = segments_.range(request.destination, request.size);
    const uint8_t* from = segments_.range(request.source, request.size);
    move(request, log_.mark(ProfileKind::copy, copy_label_), [=] { std::memcpy(to, from, request.size); });
  }

  void fill(const FillRequest& request) override {
    uint8_t* to = segments_.range(request.destination, request.size);
    move(request, log_.mark(ProfileKind::fill, fill_label_), [=] {
      uint64_t pattern = request.pattern, size = request.size;
      switch (request.width) {
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

  // What a launch printed is written when it is done.
  void fence(uint32_t stream, uint64_t sequence) override { streams_.at(stream).fence(sequence); }
  void synchronize() override { streams_.finish(); }

  std::vector<double> time(const LaunchRequest& request, uint32_t repeats, uint32_t warmup) override {
    WorkStream& stream = streams_.at(request.stream);
    LoadedKernel& kernel = checked(request);
    ProfileMark mark = log_.mark(ProfileKind::kernel, kernel.label);
    std::vector<double> times;
    stream.call([&] {
      std::memcpy(stream.arguments, request.arguments, request.argument_bytes);
      for (uint32_t i = 0; i < warmup; i++) run(stream, request, kernel, mark);
      for (uint32_t i = 0; i < repeats; i++) {
        auto start = Clock::now();
        run(stream, request, kernel, mark);
        times.push_back(milliseconds(Clock::now() - start));
      }
    });
    return times;
  }

  Checked check(const CheckRequest& request) override {
    const LaunchRequest& launch = request.launch;
    LoadedKernel& kernel = checked(launch);
    if (kernel.checked == nullptr)
      throw DeviceError("UNSUPPORTED", "This kernel was not compiled to be checked. Compile it with { check: true }.");
    WorkStream& stream = streams_.at(launch.stream);
    Checked answer;
    stream.call([&] {
      std::memcpy(stream.arguments, launch.arguments, launch.argument_bytes);
      Job job = job_of(stream, launch, kernel);
      if (job.blocks_of_cluster() > 1)
        throw DeviceError("UNSUPPORTED",
                          "A launch with clusters of several blocks is not checked: their shared memory is each "
                          "other's. Launch the kernel without --check.");
      job.observer = &checker_;
      CheckedTask task = task_of(request, job, kernel);
      // Addresses that a kernel keeps must hold in the next launch, too.
      std::vector<CheckedArgument> none;
      Aliases aliases(request.has_addresses ? none : task.arguments, stream.arguments, launch.argument_bytes);
      task.segments.insert(task.segments.end(), aliases.ranges().begin(), aliases.ranges().end());
      checker_.begin(std::move(task));
      // What is counted or followed is to be seen.
      const bool is_looked_at = request.counts || request.follows;
      if (!is_looked_at && proof_.run(stream.pool, job, kernel.proof, checker_)) {
        checker_.proven(proof_.written());
      } else {
        double cost = 0;
        stream.pool.run(job, cost);
      }
      answer.findings = checker_.finish();
      answer.subjects = checker_.subjects();
      answer.counts = checker_.counts();
      answer.steps = checker_.steps();
      for (size_t i = 0; i < request.arguments.size(); i++) {
        Reached reached = checker_.reached(i);
        answer.reached.push_back(std::to_string(reached.elements) + " " + std::to_string(reached.prefix));
      }
    });
    return answer;
  }

  Libraries* libraries() override { return libraries_.get(); }
  std::vector<std::string> known_libraries() override {
    return {describe_library(kOpenBlasRow, []() -> OpenedLibrary { return {openblas().path, openblas().version}; })};
  }
  Profiler* profiler() override { return &profiler_; }
  Textures* textures() override { return &textures_; }

  void sample(Gauges& gauges) override {
    streams_.each([](WorkStream& stream) { stream.waiting.look(stream.pool); });
    sample_machine(gauges);
    int64_t computed = processor_time();
    auto time = Clock::now();
    double elapsed = milliseconds(time - sampled_) * 1e6 * streams_.cores();
    gauges.utilization = elapsed > 0 ? std::clamp(double(computed - computed_) / elapsed, 0.0, 1.0) : 0;
    computed_ = computed;
    sampled_ = time;
  }

 private:
  struct LoadedVariable {
    uint32_t module;
    warpcell_cpu::Variable variable;
  };

  const warpcell_cpu::Variable& variable(uint32_t number) const {
    auto found = variables_.find(number);
    if (found == variables_.end()) throw unknown_variable(number);
    return found->second.variable;
  }

  LoadedKernel& checked(const LaunchRequest& request) const {
    auto found = kernels_.find(request.kernel);
    if (found == kernels_.end()) throw unknown_kernel(request.kernel);
    check_limits(request, *found->second);
    return *found->second;
  }

  template <class Request, class Work>
  void move(const Request& request, const ProfileMark& mark, Work work) {
    WorkStream& stream = streams_.at(request.stream);
    stream.give(request.sequence, [&stream, mark, work, bytes = request.size] {
      if (__builtin_expect(!mark.on, 1)) return work();
      int64_t start = profile_clock();
      work();
      ProfileRecord* record = mark.add_to(stream.records, start, profile_clock());
      if (record == nullptr) return;
      record->bytes = bytes;
      record->lane = stream.number;
    });
  }

  void launch(WorkStream& stream, const LaunchRequest& request, LoadedKernel& kernel, const ProfileMark& mark) {
    // To where a vector type finds its alignment.
    std::memcpy(stream.arguments, request.arguments, request.argument_bytes);
    run(stream, request, kernel, mark);
    stream.progressed(request.sequence);
  }

  void run(WorkStream& stream, const LaunchRequest& request, LoadedKernel& kernel, const ProfileMark& mark) {
    Job job = job_of(stream, request, kernel);
    job.name = mark.name;
    Span span = run(stream, job, kernel);
    if (__builtin_expect(!mark.on, 1)) return;
    profiler_.counted(stream.pool, job);
    ProfileRecord* record = mark.add_to(stream.records, span.start, span.end);
    if (record == nullptr) return;
    record->lane = stream.number;
    std::copy(request.grid, request.grid + 3, record->grid);
    std::copy(request.block, request.block + 3, record->block);
    record->static_shared = kernel.shared.own;
    record->dynamic_shared = request.shared;
  }

  static Job job_of(WorkStream& stream, const LaunchRequest& request, const LoadedKernel& kernel) {
    Job job{kernel.description, {}, stream.arguments, request.shared, request.cooperative};
    job.stack = kernel.stack;
    job.split = kernel.split;
    job.sequence = request.sequence;
    const uint32_t* cluster = request.cluster[0] != 0 ? request.cluster : kernel.cluster;
    std::copy(cluster, cluster + 3, job.cluster);
    std::copy(request.grid, request.grid + 3, job.geometry.grid);
    std::copy(request.block, request.block + 3, job.geometry.block);
    return job;
  }

  CheckedTask task_of(const CheckRequest& request, const Job& job, const LoadedKernel& kernel) const {
    CheckedTask task{kernel.checked,
                     job.geometry,
                     job.shared,
                     {},
                     {},
                     {},
                     request.has_addresses,
                     job.cooperative,
                     request.counts,
                     request.follows,
                     request.followed_block,
                     request.followed_thread};
    for (const CheckRequest::Argument& argument : request.arguments) {
      uint8_t* base = segments_.range(argument.place, argument.bytes);
      task.arguments.push_back({base, base, argument.bytes, argument.element, argument.is_constant,
                                argument.state == "new", argument.state == "known"});
    }
    segments_.each([&](uint8_t* base, uint64_t bytes) { task.segments.push_back({base, bytes}); });
    for (const CheckRequest::Block& block : request.blocks)
      task.blocks.push_back({segments_.range(block.place, block.bytes), block.bytes});
    return task;
  }

  // Streams may run the same kernel at the same time, and each may bring its cost up to date.
  Span run(WorkStream& stream, const Job& job, LoadedKernel& kernel) {
    double cost;
    __atomic_load(&kernel.cost, &cost, __ATOMIC_RELAXED);
    Span span = watched(stream, job, kernel, cost);
    __atomic_store(&kernel.cost, &cost, __ATOMIC_RELAXED);
    return span;
  }

  static Span watched(WorkStream& stream, const Job& job, const LoadedKernel& kernel, double& cost) {
    if (job.runs_together()) return stream.pool.run(job, cost);
    Waiting::Launch launch(stream.waiting, kernel.shared.kernel, job.geometry);
    return stream.pool.run(job, cost);
  }

  // What a stream had been given, and when that was done, in nanoseconds.
  struct Event {
    WorkStream* stream;
    uint64_t count;
    std::shared_ptr<std::atomic<int64_t>> reached;
  };

  Segments segments_;
  CpuTextures textures_{segments_};
  Streams streams_;
  std::map<uint32_t, Event> events_;
  ProfileLog log_;
  ProfileLabel copy_label_{"copy"}, fill_label_{"fill"};
  CpuProfiler profiler_;
  Checker checker_;
  Proof proof_;
  std::unique_ptr<Libraries> libraries_;
  std::map<uint32_t, std::unique_ptr<Module>> modules_;
  std::unordered_map<uint32_t, LoadedKernel*> kernels_;
  std::unordered_map<uint32_t, LoadedVariable> variables_;  // by number
  int64_t computed_ = processor_time();
  Clock::time_point sampled_ = Clock::now();
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Device> open_cpu(int index, Control* control, Listener& listener) {
  if (index != 0)
    throw DeviceError("NO_DEVICE",
                      "There is no device cpu:" + std::to_string(index) + ": the only one of its kind is cpu.");
  return std::make_unique<cpu::CpuDevice>(control, listener);
}

}  // namespace warpcell
