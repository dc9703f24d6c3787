// From products q · k of a tile to what softmax is of, in a fragment (fragments.cuh): scale, soft cap, mask, and keys
// that a query does not see.
#pragma once
#include "../instructions.cuh"
#include "fragments.cuh"
#include "sight.cuh"

namespace warpcell::attention {

// A score of what is not seen.
__device__ inline float unseen() { return bits_float(0xff800000u); }

constexpr float kLog2E = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

// At most 2⁻²² off: what a soft cap is multiplied by.
__device__ inline float bounded_tangent(float x) {
  return 1 - 2 * instructions::flushed_reciprocal(1 + instructions::flushed_exp2(2 * kLog2E * x));
}

// `is_turned`: rows are keys, columns queries. `is_general`: more is done than to leave out keys by their places, and
// scores become logarithms to base 2; otherwise they stay products.
template <class T, bool is_general, bool is_turned>
struct TileScores {
  const Problem& p;
  const Sight sight;
  const void* mask;
  float scale;

  __device__ TileScores(const Problem& p, const void* mask, int batch, int head)
      : p(p), sight(p), mask(mask), scale(float(p.scale)) {
    if constexpr (is_general) {
      const long long from = p.mask_at(batch, head);
      this->mask =
          p.mask_kind == kAdded ? (const void*)((const T*)mask + from) : (const void*)((const uchar*)mask + from);
    }
  }
  // By what scores are to be multiplied to be logarithms to base 2, and gradients of products in the end.
  __device__ float factor() const { return is_general ? 1.0f : scale * kLog2E; }
  __device__ float slope() const { return is_general ? 1.0f : scale; }

  // Of 16 rows from `row` and columns from `column`. `change(element, derivative)`, of those that a soft cap or the
  // scale bends, is for gradients.
  template <int columns, class Bend>
  __device__ void apply(Fragment<columns>& scores, int row, int column, int lane, Bend bend) const {
    if constexpr (is_general) {
      if (p.softcap != 0) {
        const float inner = scale / float(p.softcap), outer = float(p.softcap) * kLog2E;
        scores.each(lane, [&](float& score, int n, int e, int, int) {
          const float part = bounded_tangent(score * inner);
          score = part * outer;
          bend(n, e, scale * (1 - part * part));
        });
      } else {
        scores.each(lane, [&](float& score, int n, int e, int, int) {
          score *= scale * kLog2E;
          bend(n, e, scale);
        });
      }
    }
    const bool is_whole =
        is_turned ? sight.sees_all(column, columns, row, 16) : sight.sees_all(row, 16, column, columns);
    if (!is_whole)
      scores.each(lane, [&](float& score, int, int, int i, int j) {
        if (!(is_turned ? sight.sees(column + j, row + i) : sight.sees(row + i, column + j))) score = unseen();
      });
    if constexpr (is_general) {
      if (p.mask_kind == kMayLook)
        masked<uchar>(scores, row, column, lane, [](float& score, uchar may) {
          if (!may) score = unseen();
        });
      if (p.mask_kind == kAdded)
        masked<T>(scores, row, column, lane, [](float& score, T added) { score += widen<T>(added) * kLog2E; });
    }
  }
  template <class M, int columns, class F>
  __device__ void masked(Fragment<columns>& scores, int row, int column, int lane, F change) const {
    const long long row_step = is_turned ? p.mask_key : p.mask_query, step = is_turned ? p.mask_query : p.mask_key;
    const M* from = (const M*)mask + (row + lane / 4) * row_step + (column + lane % 4 * 2) * step;
    scores.each(lane, [&](float& score, int n, int e, int, int) {
      if (score != unseen()) change(score, from[e / 2 * 8 * row_step + (n * 8 + e % 2) * step]);
    });
  }
};

}  // namespace warpcell::attention
