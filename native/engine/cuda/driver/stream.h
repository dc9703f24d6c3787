// Work in order: turns launches, copies and fills at addresses into calls on one CUDA stream, and finds them done.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "../../device.h"
#include "driver_api.h"
#include "../compile/module.h"
#include "progress.h"
#include "stream_watcher.h"

namespace warpcell::cuda {

// What all streams of a device have in common.
struct StreamContext {
  const DriverApi& api;
  Control* control;
  uint32_t shared_limit;                 // the most shared memory of a block, static and dynamic, in bytes
  uint32_t cooperative_multiprocessors;  // how many run a cooperative launch; 0: the device has none
};

// A mark in a stream whose end has not been told.
struct Fence {
  uint64_t sequence;
  int64_t began;  // by the clock of profiles; 0: none is on
  Event event;    // null: nothing has followed it on the stream, whose end is the fence's
};

class WorkStream {
 public:
  // `progress`: where the device writes how far the stream is; 0: nowhere.
  WorkStream(const StreamContext& context, uint32_t number, DevicePointer progress);

  // Throws DeviceError INVALID_LAUNCH when the arguments do not fit the kernel or the device cannot run the
  // configuration.
  void launch(Kernel& kernel, const LaunchRequest& request);

  // Addresses may be of the device or of registered host memory.
  void copy(DevicePointer destination, DevicePointer source, uint64_t bytes);

  // `width` 1, 2, 4 or 8 bytes of `pattern`, over and over; `bytes` is a multiple of it.
  void fill(DevicePointer destination, uint64_t bytes, uint64_t pattern, uint32_t width);

  // What is put on the stream from here to end_capture() is kept in a graph instead of being run.
  void begin_capture();
  // The piece of the graph that was added last; null: nothing was.
  GraphNode last_captured() const;
  // `prints`: whether a kernel in it does.
  GraphHandle end_capture(bool* prints);
  // Ends it, and forgets what was kept.
  void abandon_capture();
  // Told as one launch.
  void launch(GraphExecutable graph, bool prints, uint64_t sequence);

  // A mark after all that was put on the stream before.
  void fence(uint64_t sequence, int64_t began);
  bool has_fences() const { return !fences_.empty(); }
  // Takes the oldest fence, if all before it is done: what kernels printed is in stdout's buffer then. Throws the fault
  // of any work.
  bool take_fence(Fence* done);

  // What is put on this stream from now on comes after all that was put on the other before.
  void wait(WorkStream& other);

  void record(Event event);
  void wait(Event event);

  // Returns when all work is done and what kernels printed is in stdout's buffer. Throws the fault of any of it.
  void synchronize();

  // Device milliseconds of each of `repeats` launches, after `warmup` untimed ones.
  std::vector<double> time(Kernel& kernel, const LaunchRequest& request, uint32_t repeats, uint32_t warmup);

  // Work that a library puts on the stream, told as a launch is.
  template <class Work>
  void submit(uint64_t sequence, Work work) {
    if (is_capturing_) return work(stream_);
    follow();
    progress_.launching(stream_, Progress::Work::library);
    work(stream_);
    progress_.launched(sequence, Progress::Work::library);
  }

  // Device milliseconds of one of `repeats` pieces of work in a row.
  double milliseconds(const std::function<void(Stream)>& work, uint32_t repeats);

  // Throws the fault of earlier work, where there is one: a library tells it as a failure of its own.
  void expect_sound() const;

  // Null: nobody watches.
  void watch(StreamWatcher* watcher) { watcher_ = watcher; }
  StreamWatcher* watcher() const { return watcher_; }

  Stream handle() const { return stream_; }
  // Whoever waits for a fence hears of the end of all, so that the device need not write it.
  void idle() {
    if (!has_open_fence_) progress_.idle(stream_);
  }
  uint64_t last_suspect() const { return progress_.last_suspect(); }

 private:
  void submit(Kernel& kernel, const LaunchRequest& request);
  Result launch_clusters(const Kernel& kernel, const LaunchRequest& request);
  void require_together(const Kernel& kernel, const LaunchRequest& request);
  // After a call that puts one piece of work on the stream.
  void check_submitted(Result result, WorkKind kind, const char* doing);
  void fill_wide(DevicePointer destination, uint64_t bytes, uint64_t pattern);

  // To be called before something is put on the stream: the last fence is no longer its end.
  void follow() {
    if (__builtin_expect(has_open_fence_, 0)) close_fence();
  }
  void close_fence();
  Event unused_event();

 public:
  const uint32_t number;

 private:
  const DriverApi& api_;
  uint32_t shared_limit_;
  uint32_t cooperative_multiprocessors_;
  Stream stream_ = nullptr;
  Event done_ = nullptr;         // a wait on it sleeps
  bool prints_ = false;          // something that prints was launched since the last wait
  bool is_capturing_ = false;    // into a graph
  bool printed_before_ = false;  // as prints_ was before that
  bool has_open_fence_ = false;  // the last fence has no event
  std::deque<Fence> fences_;
  std::vector<Event> events_;  // that no fence has
  StreamWatcher* watcher_ = nullptr;
  Progress progress_;
};

}  // namespace warpcell::cuda
