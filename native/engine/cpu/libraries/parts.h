// How a batch of matrix products is shared among cores: turns its sizes into parts, each for one call of a library.
#pragma once
#include <cstdint>

#include "../../host/matmul_terms.h"

namespace warpcell::cpu {

// One part: some products of the batch, or a tile of one, over some of its depth.
struct ProductPart {
  int64_t batch, batches;
  int64_t row, rows;
  int64_t column, columns;
  int64_t depth, depths;
  int64_t split;  // which of those that add up
};

class ProductParts {
 public:
  // `narrow`: 16-bit numbers, whose tiles are converted where they are used.
  ProductParts(const MatmulTerms& terms, uint32_t cores, bool narrow);
  uint64_t count() const { return uint64_t(groups_ * down_ * across_ * splits_); }
  // Sums over the depth that are to be added: their results have no other place.
  int64_t splits() const { return splits_; }
  ProductPart operator[](uint64_t part) const;

 private:
  int64_t m_, n_, k_, batches_;
  int64_t group_, rows_, columns_, depths_;  // of one part
  int64_t groups_, down_, across_, splits_;  // how many there are of each
};

}  // namespace warpcell::cpu
