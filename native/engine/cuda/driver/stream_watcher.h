// What a profile is told of the work that is put on a stream.
#pragma once

namespace warpcell::cuda {

// One piece of work, as a single call of the driver makes it.
enum class WorkKind { kernel, copy, fill };

// A time in which work is not told piece by piece.
enum class Stretch {
  foreign,      // a library, or the driver, puts on the stream what it likes
  measurement,  // the same, or our own, and how long it takes is being measured
};

class StreamWatcher {
 public:
  virtual ~StreamWatcher() = default;
  // A call of ours is about to launch a kernel.
  virtual void launching() = 0;
  // A call of ours has put one piece of work on the stream.
  virtual void submitted(WorkKind kind) = 0;
  // Stretches do not overlap. Work of ours within one is told nevertheless.
  virtual void begin(Stretch stretch) = 0;
  virtual void end() noexcept = 0;
};

// A stretch for as long as this lives; of nothing where nobody watches.
class WatchedStretch {
 public:
  WatchedStretch(StreamWatcher* watcher, Stretch stretch) : watcher_(watcher) {
    if (watcher_ != nullptr) watcher_->begin(stretch);
  }
  ~WatchedStretch() {
    if (watcher_ != nullptr) watcher_->end();
  }
  WatchedStretch(const WatchedStretch&) = delete;
  WatchedStretch& operator=(const WatchedStretch&) = delete;

 private:
  StreamWatcher* watcher_;
};

}  // namespace warpcell::cuda
