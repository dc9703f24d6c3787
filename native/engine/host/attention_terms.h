// What an attention is planned by: turns the terms of the call "attention" into numbers, and into the bytes that each
// of its places must hold.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../device.h"

namespace warpcell {

enum class AttentionResult { output, gradients };

// Which keys a query may look at: all, or none behind its own, where the first query's own is the first key, or the
// last query's the last key.
enum class AttentionMask { none, first, last };

// [batches, heads, rows, columns], whose columns lie side by side; elements between neighbours.
struct AttentionOperand {
  int64_t batches, heads, rows, columns;
  int64_t batch, head, row;

  int64_t elements() const { return (batches - 1) * batch + (heads - 1) * head + (rows - 1) * row + columns; }
};

// out = softmax(q · kᵀ · scale) · v of 16-bit floats, and lse = log Σ e^score of each query, of float32 and without
// gaps; or the gradients of q, k and v by out's. The scale is the scalar of a run. Places: out, lse, q, k, v; of the
// gradients those of q, k and v, then q, k, v, out, lse, the gradient of out.
struct AttentionTerms {
  AttentionResult result;
  AttentionMask mask;
  std::string type;
  AttentionOperand q, k, v, out;
  AttentionOperand d_out{}, d_q{}, d_k{}, d_v{};  // of the gradients

  // Throws DeviceError PROTOCOL for terms that contradict themselves, UNSUPPORTED for types that no library takes.
  explicit AttentionTerms(const PlanRequest& request);

  uint64_t lse_bytes() const { return uint64_t(q.batches * q.heads * q.rows) * sizeof(float); }
  // In the order of the places.
  std::vector<uint64_t> place_bytes() const;
};

}  // namespace warpcell
