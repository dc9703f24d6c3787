// One non-blocking CUDA stream and what is put on it.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "../../host/text.h"
#include "faults.h"

namespace warpcell::cuda {
namespace {

constexpr auto kSpin =
    std::chrono::milliseconds(10);       // as long as the session looks before it sleeps; then this wait sleeps, too
constexpr uint64_t kMostThreads = 1024;  // of a block, on every GPU
constexpr uint32_t kTimedAtOnce = 256;   // pairs of events in flight

std::string describe(const Kernel& kernel, const LaunchRequest& request) {
  return "launching " + kernel.name + " with grid " + dimensions(request.grid) + ", block " +
         dimensions(request.block) + " and " + std::to_string(request.shared) + " bytes of dynamic shared memory";
}

class TimedEvent {
 public:
  explicit TimedEvent(const DriverApi& api) : api_(api) {
    api_.check(api_.cuEventCreate(&event_, kEventDefault), "creating an event");
  }
  ~TimedEvent() {
    if (event_ != nullptr) api_.cuEventDestroy(event_);
  }
  TimedEvent(TimedEvent&& other) noexcept : api_(other.api_), event_(other.event_) { other.event_ = nullptr; }
  TimedEvent& operator=(TimedEvent&&) = delete;

  void record(Stream stream) { api_.check(api_.cuEventRecord(event_, stream), "recording an event"); }

  double milliseconds_since(const TimedEvent& start) const {
    float elapsed = 0;
    api_.check(api_.cuEventElapsedTime(&elapsed, start.event_, event_), "reading the time of a launch");
    return elapsed;
  }

 private:
  const DriverApi& api_;
  Event event_ = nullptr;
};

}  // namespace

WorkStream::WorkStream(const StreamContext& context, uint32_t number, DevicePointer progress)
    : number(number),
      api_(context.api),
      shared_limit_(context.shared_limit),
      cooperative_multiprocessors_(context.cooperative_multiprocessors),
      progress_(context.api, context.control == nullptr ? nullptr : &context.control->streams[number], progress) {
  api_.check(api_.cuStreamCreate(&stream_, kStreamNonBlocking), "creating a stream");
  api_.check(api_.cuEventCreate(&done_, kEventBlocking), "creating an event");
}

void WorkStream::launch(Kernel& kernel, const LaunchRequest& request) {
  if (is_capturing_) return submit(kernel, request);
  follow();
  progress_.launching(stream_, Progress::Work::kernel);
  submit(kernel, request);
  progress_.launched(request.sequence, Progress::Work::kernel);
}

void WorkStream::submit(Kernel& kernel, const LaunchRequest& request) {
  if (request.argument_bytes != kernel.parameter_bytes) {
    throw DeviceError("INVALID_LAUNCH", "Kernel " + kernel.name + " takes " + std::to_string(kernel.parameter_bytes) +
                                            " bytes of arguments, but the launch has " +
                                            std::to_string(request.argument_bytes) + ".");
  }
  kernel.allow_shared(request.shared, shared_limit_);
  if (__builtin_expect(watcher_ != nullptr, 0)) watcher_->launching();

  Result result;
  if (request.cooperative) require_together(kernel, request);
  if (request.cluster[0] != 0) {
    result = launch_clusters(kernel, request);
  } else if (request.cooperative) {
    std::vector<void*> parameters;
    for (const auto& parameter : kernel.parameters) parameters.push_back(request.arguments + parameter.offset);
    result = api_.cuLaunchCooperativeKernel(kernel.function, request.grid[0], request.grid[1], request.grid[2],
                                            request.block[0], request.block[1], request.block[2], request.shared,
                                            stream_, parameters.data());
  } else {
    size_t bytes = request.argument_bytes;
    void* packed[] = {kParameterBuffer, request.arguments, kParameterBytes, &bytes, nullptr};
    result = api_.cuLaunchKernel(kernel.function, request.grid[0], request.grid[1], request.grid[2], request.block[0],
                                 request.block[1], request.block[2], request.shared, stream_, nullptr, packed);
  }
  prints_ = prints_ || kernel.prints;
  if (result == kSuccess) {
    if (__builtin_expect(watcher_ != nullptr, 0)) watcher_->submitted(WorkKind::kernel);
    return;
  }

  DeviceError error = failure(api_, result, describe(kernel, request));
  if (result == kInvalidValue) error.code = "INVALID_LAUNCH";
  throw error;
}

Result WorkStream::launch_clusters(const Kernel& kernel, const LaunchRequest& request) {
  LaunchAttribute attributes[2]{};
  attributes[0].id = kLaunchCluster;
  std::copy(request.cluster, request.cluster + 3, attributes[0].value);
  attributes[1].id = kLaunchCooperative;
  attributes[1].value[0] = 1;
  LaunchConfiguration configuration{};
  std::copy(request.grid, request.grid + 3, configuration.grid);
  std::copy(request.block, request.block + 3, configuration.block);
  configuration.shared = request.shared;
  configuration.stream = stream_;
  configuration.attributes = attributes;
  configuration.attribute_count = request.cooperative ? 2 : 1;
  size_t bytes = request.argument_bytes;
  void* packed[] = {kParameterBuffer, request.arguments, kParameterBytes, &bytes, nullptr};
  return api_.cuLaunchKernelEx(&configuration, kernel.function, nullptr, packed);
}

// Blocks that wait for each other must all be on the device at once, else those that are there wait for ever.
void WorkStream::require_together(const Kernel& kernel, const LaunchRequest& request) {
  if (cooperative_multiprocessors_ == 0) throw DeviceError("UNSUPPORTED", "This GPU has no cooperative launches.");
  uint64_t threads = uint64_t(request.block[0]) * request.block[1] * request.block[2];
  uint64_t blocks = uint64_t(request.grid[0]) * request.grid[1] * request.grid[2];
  if (threads > kMostThreads) return;  // the driver says so
  int each = 0;
  api_.check(api_.cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel.function, int(threads), request.shared),
             "reading the occupancy");
  uint64_t most = uint64_t(each) * cooperative_multiprocessors_;
  if (blocks <= most) return;
  throw DeviceError("INVALID_LAUNCH",
                    "A cooperative launch runs all its blocks at once: this GPU holds at most " + std::to_string(most) +
                        " of " + std::to_string(threads) + " threads and " + std::to_string(request.shared) +
                        " bytes of dynamic shared memory, but the grid has " + std::to_string(blocks) + ".");
}

void WorkStream::check_submitted(Result result, WorkKind kind, const char* doing) {
  api_.check(result, doing);
  if (watcher_ != nullptr) watcher_->submitted(kind);
}

void WorkStream::copy(DevicePointer destination, DevicePointer source, uint64_t bytes) {
  if (bytes == 0) return;
  follow();
  check_submitted(api_.cuMemcpyAsync(destination, source, bytes, stream_), WorkKind::copy, "copying");
}

void WorkStream::fill(DevicePointer destination, uint64_t bytes, uint64_t pattern, uint32_t width) {
  if (bytes == 0) return;
  follow();
  switch (width) {
    case 1:
      return check_submitted(api_.cuMemsetD8Async(destination, uint8_t(pattern), bytes, stream_), WorkKind::fill,
                             "filling");
    case 2:
      return check_submitted(api_.cuMemsetD16Async(destination, uint16_t(pattern), bytes / 2, stream_), WorkKind::fill,
                             "filling");
    case 4:
      return check_submitted(api_.cuMemsetD32Async(destination, uint32_t(pattern), bytes / 4, stream_), WorkKind::fill,
                             "filling");
    case 8:
      return fill_wide(destination, bytes, pattern);
  }
}

// The driver fills with 4 bytes at most: write the first items as two interleaved columns, then copy what is there,
// doubling it.
void WorkStream::fill_wide(DevicePointer destination, uint64_t bytes, uint64_t pattern) {
  uint32_t low = uint32_t(pattern), high = uint32_t(pattern >> 32);
  if (low == high)
    return check_submitted(api_.cuMemsetD32Async(destination, low, bytes / 4, stream_), WorkKind::fill, "filling");

  constexpr uint64_t kSeedBytes = 4096;
  uint64_t done = std::min(bytes, kSeedBytes);
  check_submitted(api_.cuMemsetD2D32Async(destination, 8, low, 1, done / 8, stream_), WorkKind::fill, "filling");
  check_submitted(api_.cuMemsetD2D32Async(destination + 4, 8, high, 1, done / 8, stream_), WorkKind::fill, "filling");
  while (done < bytes) {
    uint64_t more = std::min(done, bytes - done);
    copy(destination + done, destination, more);
    done += more;
  }
}

void WorkStream::begin_capture() {
  follow();
  api_.check(api_.cuStreamBeginCapture(stream_, kCaptureRelaxed), "beginning a graph");
  is_capturing_ = true;
  printed_before_ = prints_;
  prints_ = false;
}

GraphNode WorkStream::last_captured() const {
  int status = 0;
  uint64_t id = 0;
  GraphHandle graph = nullptr;
  const GraphNode* nodes = nullptr;
  size_t count = 0;
  api_.check(api_.cuStreamGetCaptureInfo(stream_, &status, &id, &graph, &nodes, &count), "recording a graph");
  return count == 1 ? nodes[0] : nullptr;
}

GraphHandle WorkStream::end_capture(bool* prints) {
  *prints = prints_;
  prints_ = printed_before_;
  is_capturing_ = false;
  GraphHandle graph = nullptr;
  api_.check(api_.cuStreamEndCapture(stream_, &graph), "ending a graph");
  return graph;
}

void WorkStream::abandon_capture() {
  prints_ = printed_before_;
  is_capturing_ = false;
  GraphHandle graph = nullptr;
  // One that has failed already ends without a graph.
  if (api_.cuStreamEndCapture(stream_, &graph) == kSuccess) api_.cuGraphDestroy(graph);
}

void WorkStream::launch(GraphExecutable graph, bool prints, uint64_t sequence) {
  follow();
  WatchedStretch stretch(watcher_, Stretch::foreign);
  progress_.launching(stream_, Progress::Work::kernel);
  api_.check(api_.cuGraphLaunch(graph, stream_), "running a graph");
  prints_ = prints_ || prints;
  progress_.launched(sequence, Progress::Work::kernel);
}

// As long as nothing follows a fence the stream itself is asked, which costs no event.
void WorkStream::fence(uint64_t sequence, int64_t began) {
  if (has_open_fence_) {
    fences_.back().sequence = sequence;
    return;
  }
  fences_.push_back({sequence, began, nullptr});
  has_open_fence_ = true;
}

void WorkStream::close_fence() {
  Event event = unused_event();
  api_.check(api_.cuEventRecord(event, stream_), "marking a place in the stream");
  fences_.back().event = event;
  has_open_fence_ = false;
}

Event WorkStream::unused_event() {
  Event event = nullptr;
  if (events_.empty()) {
    api_.check(api_.cuEventCreate(&event, kEventBlocking), "creating an event");
  } else {
    event = events_.back();
    events_.pop_back();
  }
  return event;
}

bool WorkStream::take_fence(Fence* done) {
  if (fences_.empty()) return false;
  Fence& fence = fences_.front();
  Result result = fence.event == nullptr ? api_.cuStreamQuery(stream_) : api_.cuEventQuery(fence.event);
  if (result == kNotReady) return false;
  api_.check(result, "");
  // The work is done; these calls move what kernels printed to stdout, at 1.3 µs.
  if (fence.event == nullptr) {
    if (prints_) api_.check(api_.cuStreamSynchronize(stream_), "");
    prints_ = false;
    progress_.finished();
    has_open_fence_ = false;
  } else {
    if (prints_) api_.check(api_.cuEventSynchronize(fence.event), "");
    events_.push_back(fence.event);
  }
  *done = fence;
  fences_.pop_front();
  return true;
}

void WorkStream::wait(WorkStream& other) {
  if (this == &other) return;
  follow();
  Event event = other.unused_event();
  api_.check(api_.cuEventRecord(event, other.stream_), "marking a place in the stream");
  api_.check(api_.cuStreamWaitEvent(stream_, event, 0), "waiting for a stream");
  // The wait is for what was recorded, whatever the event is recorded for next.
  other.events_.push_back(event);
}

void WorkStream::record(Event event) {
  follow();
  api_.check(api_.cuEventRecord(event, stream_), "recording an event");
}

void WorkStream::wait(Event event) {
  follow();
  api_.check(api_.cuStreamWaitEvent(stream_, event, 0), "waiting for an event");
}

void WorkStream::synchronize() {
  auto started = std::chrono::steady_clock::now();
  Result result;
  while ((result = api_.cuStreamQuery(stream_)) == kNotReady) {
    if (std::chrono::steady_clock::now() - started < kSpin) continue;
    api_.check(api_.cuEventRecord(done_, stream_), "waiting");
    result = api_.cuEventSynchronize(done_);
    break;
  }
  api_.check(result, "");
  // The work is done; this call moves what kernels printed to stdout, at 1.3 µs.
  if (prints_) api_.check(api_.cuStreamSynchronize(stream_), "");
  prints_ = false;
  progress_.finished();
}

double WorkStream::milliseconds(const std::function<void(Stream)>& work, uint32_t repeats) {
  TimedEvent start(api_), end(api_);
  start.record(stream_);
  for (uint32_t i = 0; i < repeats; i++) work(stream_);
  end.record(stream_);
  synchronize();
  return end.milliseconds_since(start) / repeats;
}

void WorkStream::expect_sound() const {
  Result result = api_.cuStreamQuery(stream_);
  if (result != kNotReady) api_.check(result, "");
}

std::vector<double> WorkStream::time(Kernel& kernel, const LaunchRequest& request, uint32_t repeats, uint32_t warmup) {
  WatchedStretch stretch(watcher_, Stretch::measurement);
  for (uint32_t i = 0; i < warmup; i++) submit(kernel, request);
  synchronize();

  std::vector<double> times;
  while (times.size() < repeats) {
    size_t count = std::min<size_t>(kTimedAtOnce, repeats - times.size());
    std::vector<TimedEvent> starts, ends;
    for (size_t i = 0; i < count; i++) {
      starts.emplace_back(api_);
      ends.emplace_back(api_);
    }
    for (size_t i = 0; i < count; i++) {
      starts[i].record(stream_);
      submit(kernel, request);
      ends[i].record(stream_);
    }
    synchronize();
    for (size_t i = 0; i < count; i++) times.push_back(ends[i].milliseconds_since(starts[i]));
  }
  return times;
}

}  // namespace warpcell::cuda
