// What attention computes, as its kernels are told it: sizes, steps, which keys a query sees, what becomes of a score,
// and which weights are dropped. Written by lib/ops/attention/problem.ts.
#pragma once
#include <warpcell/math.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/philox.cuh>

namespace warpcell::attention {

// Elements between neighbours; those of the last axis lie side by side.
struct Steps {
  long long batch, head, token;
  __device__ inline long long at(long long b, long long h) const { return b * batch + h * head; }
};

// Columns of keys, and of values.
constexpr int kMostWidth = 256;

enum MaskKind : long long { kNoMask, kMayLook, kAdded };

struct Problem {
  Steps q, k, v, out;
  long long mask_batch, mask_head, mask_query, mask_key;  // 0 where it is broadcast
  long long batches, heads, group;                        // group: heads of queries that share one of keys
  long long queries, keys, width, value_width;
  long long first, last;  // query i sees keys i + first to i + last
  long long mask_kind;
  double scale, softcap;  // score = softcap · tanh(q·k · scale / softcap) + mask; softcap 0: none
  double dropout;         // probability; 0: none
  unsigned long long seed, stream;

  __device__ inline long long key_heads() const { return heads / group; }
  __device__ inline long long mask_at(long long b, long long h) const { return b * mask_batch + h * mask_head; }
  __device__ inline bool sees(long long query, long long key) const {
    return query < queries && key < keys && key >= query + first && key <= query + last;
  }
  // Whether every one of `count` queries sees every one of `others` keys.
  __device__ inline bool sees_all(long long query, long long count, long long key, long long others) const {
    return key >= query + count - 1 + first && key + others - 1 <= query + last;
  }
  // Whether one of them sees one.
  __device__ inline bool sees_some(long long query, long long count, long long key, long long others) const {
    return key < end_key(query, count) && key + others > first_key(query);
  }
  // The keys that one of the queries sees, from `begin` to below `end`.
  __device__ inline long long first_key(long long query) const { return query + first > 0 ? query + first : 0; }
  __device__ inline long long end_key(long long query, long long count) const {
    const long long end = query + count + last;
    return end < 0 ? 0 : end < keys ? end : keys;
  }
  // The queries that see one of the keys.
  __device__ inline long long first_query(long long key) const { return key - last > 0 ? key - last : 0; }
  __device__ inline long long end_query(long long key, long long count) const {
    const long long end = key + count - first;
    return end < 0 ? 0 : end < queries ? end : queries;
  }
};

// How gradients lie: of the result, of the inputs, and of the mask.
struct Gradients {
  Steps d_out, dq, dk, dv;
  long long d_mask_batch, d_mask_head, d_mask_query, d_mask_key;
};

// Whether weights are dropped: key j of a row by word j mod 4 of the row's counter j/4.
struct Dropping {
  unsigned long long seed, stream, threshold;
  long long counters;
  __device__ inline explicit Dropping(const Problem& p)
      : seed(p.seed),
        stream(p.stream),
        threshold((unsigned long long)(p.dropout * 4294967296.0)),
        counters((p.keys + 3) / 4) {}
  // Of keys 4 · group to 4 · group + 3.
  __device__ inline Words words(long long row, long long group) const {
    return philox((unsigned long long)(row * counters + group), stream, seed);
  }
  __device__ inline bool drops(unsigned word) const { return word < threshold; }
};
// What a weight that is kept is multiplied by.
template <class A>
__device__ inline A kept_scale(const Problem& p) {
  return p.dropout < 1 ? A(1 / (1 - p.dropout)) : A(0);
}

// What passes backward read: `delta` is Σ g·out of each query, less the gradient of its log-sum-exp.
template <class T>
struct Backward {
  const T *q, *k, *v;
  const void* mask;
  const T* d_out;
  const Sum<T>*lse, *delta;
  const Problem& p;
  const Gradients& s;
};

// A tile of the mask's gradient, and all pairs that add to it.
struct MaskTile {
  long long batch, end_batch, head, end_head, query, end_query, key, end_key;
  __device__ inline MaskTile(const Problem& p, const Gradients& s, long long block, int queries, int keys) {
    const bool has_keys = s.d_mask_key != 0, has_queries = s.d_mask_query != 0, has_heads = s.d_mask_head != 0,
               has_batches = s.d_mask_batch != 0;
    const long long across = has_keys ? (p.keys + keys - 1) / keys : 1,
                    down = has_queries ? (p.queries + queries - 1) / queries : 1, heads = has_heads ? p.heads : 1;
    key = has_keys ? block % across * keys : 0;
    query = has_queries ? block / across % down * queries : 0;
    head = has_heads ? block / across / down % heads : 0;
    batch = has_batches ? block / across / down / heads : 0;
    end_key = has_keys && key + keys < p.keys ? key + keys : p.keys;
    end_query = has_queries && query + queries < p.queries ? query + queries : p.queries;
    end_head = has_heads ? head + 1 : p.heads;
    end_batch = has_batches ? batch + 1 : p.batches;
  }
  // The number of elements that its sums end in, and the place of the first.
  __device__ inline int queries(const Gradients& s) const { return s.d_mask_query != 0 ? int(end_query - query) : 1; }
  __device__ inline int keys(const Gradients& s) const { return s.d_mask_key != 0 ? int(end_key - key) : 1; }
  __device__ inline long long place(const Gradients& s) const {
    return batch * s.d_mask_batch + head * s.d_mask_head + query * s.d_mask_query + key * s.d_mask_key;
  }
};

template <class A>
__device__ inline A minus_infinity() {
  return -A(1) / A(0);
}

}  // namespace warpcell::attention
