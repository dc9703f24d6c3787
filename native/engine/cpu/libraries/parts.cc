// A part for each core that is free is made of whole products where there are many, of tiles where one is large.
#include "parts.h"

#include <algorithm>

namespace warpcell::cpu {
namespace {

// What one core does in a nanosecond, about: which kernel is fast is the library's to know, this decides only what is
// worth sharing.
constexpr double kFlops = 60, kBytes = 8;
constexpr double kCall = 300;         // nanoseconds
constexpr double kWorthWaking = 5e4;  // nanoseconds: another core may sleep
// The core that JavaScript is on comes later to the work, or leaves it: there is more to share than cores.
constexpr int64_t kPartsPerCore = 4;
// A matrix that meets a vector is read once, the next time from the caches of the cores that had its parts.
constexpr int64_t kPartsPerCoreByVector = 1;
constexpr int64_t kLeastTile = 64, kTileStep = 16;
// A tile of 16-bit numbers, and its part of the depth, fit a core's cache as float32.
constexpr int64_t kNarrowTile = 512;
// Results so few that there are not enough tiles: sums over parts of the depth, the same on every machine.
constexpr int64_t kFewResults = 1 << 14, kDepth = 4096;

int64_t divided(int64_t size, int64_t part) { return (size + part - 1) / part; }
int64_t halved(int64_t size) { return std::max(kLeastTile, divided(divided(size, 2), kTileStep) * kTileStep); }

}  // namespace

ProductParts::ProductParts(const MatmulTerms& terms, uint32_t cores, bool narrow)
    : m_(terms.m), n_(terms.n), k_(terms.k), batches_(terms.batches), rows_(m_), columns_(n_), depths_(k_) {
  double m = double(m_), n = double(n_), k = double(k_);
  double once = 2 * m * n * k / kFlops + (m * k + k * n + m * n) * double(terms.out.element_bytes) / kBytes + kCall;
  int64_t wanted = int64_t(std::min(once * double(batches_) / kWorthWaking,
                                    double(cores * (m_ == 1 || n_ == 1 ? kPartsPerCoreByVector : kPartsPerCore))));
  if (cores == 1) wanted = 1;
  group_ = batches_;
  if (wanted > 1) group_ = std::max<int64_t>(1, batches_ / wanted);
  groups_ = divided(batches_, group_);
  if (m_ * n_ <= kFewResults && k_ >= 2 * kDepth && batches_ < kPartsPerCore) {
    group_ = 1;
    groups_ = batches_;
    depths_ = kDepth;
  } else {
    auto tiles = [&] { return groups_ * divided(m_, rows_) * divided(n_, columns_); };
    auto split = [&](int64_t most) {
      int64_t& longer = rows_ > columns_ ? rows_ : columns_;
      if (longer <= most) return false;
      longer = halved(longer);
      return true;
    };
    while (tiles() < wanted && split(kLeastTile)) {}
    while (narrow && split(kNarrowTile)) {}
  }
  down_ = divided(m_, rows_);
  across_ = divided(n_, columns_);
  splits_ = k_ == 0 ? 1 : divided(k_, depths_);
}

ProductPart ProductParts::operator[](uint64_t number) const {
  int64_t rest = int64_t(number);
  auto next = [&rest](int64_t count) {
    int64_t at = rest % count;
    rest /= count;
    return at;
  };
  ProductPart part{};
  part.split = next(splits_);
  part.depth = part.split * depths_;
  part.depths = std::min(depths_, k_ - part.depth);
  part.column = next(across_) * columns_;
  part.columns = std::min(columns_, n_ - part.column);
  part.row = next(down_) * rows_;
  part.rows = std::min(rows_, m_ - part.row);
  part.batch = rest * group_;
  part.batches = std::min(group_, batches_ - part.batch);
  return part;
}

}  // namespace warpcell::cpu
