// From products q · k of a tile to what softmax is of, in a fragment (fragments.cuh): scale, soft cap, mask, and keys
// that a query does not see.
#pragma once
#include "../instructions.cuh"
#include "bend.cuh"
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
template <class T, bool is_general, bool is_turned, class Bend = Unbent>
struct TileScores {
  const Problem& p;
  const Sight sight;
  const void* mask;
  float scale;
  int batch, head;
  const Bend bend;

  __device__ TileScores(const Problem& p, const void* mask, int batch, int head, const Bend& bend = {})
      : p(p), sight(p), mask(mask), scale(float(p.scale)), batch(batch), head(head), bend(bend) {
    static_assert(is_general || !Bend::kIsBent);
    if constexpr (is_general) {
      const long long from = p.mask_at(batch, head);
      this->mask =
          p.mask_kind == kAdded ? (const void*)((const T*)mask + from) : (const void*)((const uchar*)mask + from);
    }
  }
  // By what scores are to be multiplied to be logarithms to base 2, and gradients of products in the end.
  __device__ float factor() const { return is_general ? 1.0f : scale * kLog2E; }
  __device__ float slope() const { return is_general ? 1.0f : scale; }

  // Whether no query of a tile, which may end past the last ones, looks at a key of it.
  __device__ bool skips(int query, int count, int key, int others) const {
    return bend.skips(batch, head, query, least(count, sight.queries - query), key, least(others, sight.keys - key));
  }
  static __device__ int least(int x, int y) { return x < y ? x : y; }

  // Of 16 rows from `row` and columns from `column`. `change(element, derivative)`, of those that a soft cap or the
  // scale bends, is for gradients.
  template <int columns, class F>
  __device__ void apply(Fragment<columns>& scores, int row, int column, int lane, F change) const {
    if constexpr (is_general) {
      // A function takes scores as they are.
      constexpr float kUnit = Bend::kIsBent ? 1.0f : kLog2E;
      if (p.softcap != 0) {
        const float inner = scale / float(p.softcap), outer = float(p.softcap) * kUnit;
        scores.each(lane, [&](float& score, int n, int e, int, int) {
          const float part = bounded_tangent(score * inner);
          score = part * outer;
          change(n, e, scale * (1 - part * part));
        });
      } else {
        scores.each(lane, [&](float& score, int n, int e, int, int) {
          score *= scale * kUnit;
          change(n, e, scale);
        });
      }
    }
    const bool is_whole =
        is_turned ? sight.sees_all(column, columns, row, 16) : sight.sees_all(row, 16, column, columns);
    if constexpr (Bend::kIsBent)
      bent(scores, row, column, lane, is_whole, change);
    else if (!is_whole)
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
  // Of pairs that are looked at alone: a function may read what only they have. What is not seen has no slope, whatever
  // the function would make of it.
  template <int columns, class F>
  __device__ void bent(Fragment<columns>& scores, int row, int column, int lane, bool is_whole, F change) const {
    const bool is_all = is_whole && (is_turned ? bend.sees_all(batch, head, column, columns, row, 16)
                                               : bend.sees_all(batch, head, row, 16, column, columns));
    // Apart, so that what most tiles do not ask takes no registers of what all do.
    if (!is_all)
      scores.each(lane, [&](float& score, int, int, int i, int j) {
        const int query = is_turned ? column + j : row + i, key = is_turned ? row + i : column + j;
        if (!sight.sees(query, key) || !bend.sees(batch, head, query, key)) score = unseen();
      });
    scores.each(lane, [&](float& score, int n, int e, int i, int j) {
      const int query = is_turned ? column + j : row + i, key = is_turned ? row + i : column + j;
      float slope = 0, found = unseen();
      if (score != unseen()) {
        found = bend.of(score, batch, head, query, key);
        if (found != unseen()) slope = bend.slope(score, batch, head, query, key);
      }
      score = found * kLog2E;
      change(n, e, slope);
    });
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
