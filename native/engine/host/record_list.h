// Records of a profile as they come, for one thread: a lock and a copy are what the work being measured must not wait
// for.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "../../protocol/profile.h"

namespace warpcell {

// Memory comes in pieces.
class RecordList {
 public:
  static constexpr size_t kMost = 5'000'000;  // 440 MB

  // A record of zeros to fill in; null when there are too many: then it is counted as dropped.
  ProfileRecord* add() {
    if (used_ == kPiece && !grow()) return nullptr;
    return &pieces_.back()[used_++];
  }

  // So many more are wanted soon: the memory for them is there, and has been touched.
  void prepare();
  void clear();
  uint64_t dropped() const { return dropped_; }
  size_t size() const { return pieces_.empty() ? 0 : (pieces_.size() - 1) * kPiece + used_; }
  void append_to(std::vector<ProfileRecord>& records) const;

 private:
  static constexpr size_t kPiece = 8192;
  using Piece = std::unique_ptr<ProfileRecord[]>;
  bool grow();

  std::vector<Piece> pieces_;
  Piece spare_;
  size_t used_ = kPiece;
  uint64_t dropped_ = 0;
};

}  // namespace warpcell
