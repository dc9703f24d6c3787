// Takes memory for records a piece at a time.
#include "record_list.h"

#include <new>

namespace warpcell {

bool RecordList::grow() {
  bool full = pieces_.size() * kPiece >= kMost;
  Piece piece =
      spare_ != nullptr ? std::move(spare_) : Piece(full ? nullptr : new (std::nothrow) ProfileRecord[kPiece]());
  if (full || piece == nullptr) {
    dropped_++;
    return false;
  }
  pieces_.push_back(std::move(piece));
  used_ = 0;
  return true;
}

void RecordList::prepare() {
  if (spare_ == nullptr) spare_.reset(new (std::nothrow) ProfileRecord[kPiece]());
}

void RecordList::clear() {
  pieces_.clear();
  used_ = kPiece;
  dropped_ = 0;
}

void RecordList::append_to(std::vector<ProfileRecord>& records) const {
  records.reserve(records.size() + size());
  for (size_t i = 0; i < pieces_.size(); i++)
    records.insert(records.end(), &pieces_[i][0], &pieces_[i][0] + (i + 1 == pieces_.size() ? used_ : kPiece));
}

}  // namespace warpcell
