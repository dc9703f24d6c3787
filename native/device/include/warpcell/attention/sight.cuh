// Which keys tiles of queries see, and where in the problem a block works, in numbers of 32 bits.
#pragma once
#include "problem.cuh"

namespace warpcell::attention {

constexpr int kFarthest = 1 << 30;

// Keys or queries from `begin` to below `end`.
struct Range {
  int begin, end;
  __device__ bool is_empty() const { return begin >= end; }
};

struct Sight {
  int queries, keys, first, last;

  __device__ explicit Sight(const Problem& p)
      : queries(int(p.queries)), keys(int(p.keys)), first(within(p.first)), last(within(p.last)) {}
  static __device__ int within(long long distance) {
    return distance < -kFarthest ? -kFarthest : distance > kFarthest ? kFarthest : int(distance);
  }
  __device__ bool sees(int query, int key) const {
    return key < keys && query < queries && query + first <= key && key <= query + last;
  }
  // Whether all of them are there, and each query sees each key.
  __device__ bool sees_all(int query, int count, int key, int others) const {
    return key + others <= keys && query + count <= queries && query + count - 1 + first <= key &&
           key + others - 1 <= query + last;
  }
  // What one of `count` sees, or is seen by.
  __device__ Range keys_of(int query, int count) const {
    const int end = (query + count < queries ? query + count : queries) + last;
    return {query + first > 0 ? query + first : 0, end < keys ? end : keys};
  }
  __device__ Range queries_of(int key, int count) const {
    const int end = (key + count < keys ? key + count : keys) - first;
    return {key - last > 0 ? key - last : 0, end < queries ? end : queries};
  }
};

// Block `block` of one head of one batch.
struct BlockPlace {
  int batch, head, block;
};

// Blocks run by sections of heads that a cache holds what is read of. The last blocks of heads see most keys where not
// all are seen: sections go from the longest work to the shortest, and the next the other way, so that those that work
// at a time have equally much, and the least is last.
__device__ inline BlockPlace place_of(int index, int batches, int heads, int blocks, long long bytes_of_head) {
  const int pairs = batches * heads;
  const long long fitting = (32ll << 20) / bytes_of_head;
  const int most = fitting < 1 ? 1 : fitting < pairs ? int(fitting) : pairs, sections = (pairs + most - 1) / most;
  const int size = (pairs + sections - 1) / sections;
  const int section = index / (size * blocks), from = section * size, rest = index - from * blocks;
  const int here = pairs - from < size ? pairs - from : size, pair = from + rest % here, step = rest / here;
  const bool is_falling = (sections - section) % 2 == 1;
  return {pair / heads, pair % heads, is_falling ? blocks - 1 - step : step};
}

}  // namespace warpcell::attention
