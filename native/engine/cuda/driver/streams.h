// The streams of a GPU by number.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "../../host/refusals.h"
#include "stream.h"

namespace warpcell::cuda {

class Streams {
 public:
  explicit Streams(const StreamContext& context) : context_(context), page_(context.api, context.control) { open(0); }

  void open(uint32_t number) {
    if (by_number_[number] != nullptr) return;
    open_.push_back(std::make_unique<WorkStream>(context_, number, page_.progress(number)));
    by_number_[number] = open_.back().get();
  }

  WorkStream& at(uint32_t number) const {
    if (number < kMaxStreams && by_number_[number] != nullptr) return *by_number_[number];
    throw unknown_stream(number);
  }

  // Those that are open.
  const std::vector<std::unique_ptr<WorkStream>>& all() const { return open_; }

  // Null: nobody watches.
  void watch(StreamWatcher* watcher) {
    for (auto& stream : open_) stream->watch(watcher);
  }

  uint64_t last_suspect() const {
    uint64_t last = 0;
    for (auto& stream : open_) last = std::max(last, stream->last_suspect());
    return last;
  }

 private:
  const StreamContext context_;
  const ProgressPage page_;
  std::vector<std::unique_ptr<WorkStream>> open_;
  WorkStream* by_number_[kMaxStreams] = {};
};

}  // namespace warpcell::cuda
