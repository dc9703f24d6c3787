// Groups of lanes of one warp: tiles of N threads, the lanes that are active together, and the parts that labels make of a group.
// (Programming Guide, "Cooperative Groups", "Group Partitioning".)
#pragma once
#include "groups.h"

namespace warpcell_cpu {

// Calls exchange(word) for each word of 8 bytes or less of a value, which may be of any size.
template <class T, class Exchange>
WARPCELL_CPU_FN T by_words(const T& value, Exchange exchange) {
  static_assert(__is_trivially_copyable(T), "Lanes exchange types that can be copied byte by byte.");
  if constexpr (sizeof(T) <= 8) {
    return exchange(value);
  } else {
    constexpr u32 words = (sizeof(T) + 7) / 8;
    u64 in[words] = {}, out[words];
    __builtin_memcpy(in, &value, sizeof(T));
    for (u32 i = 0; i < words; i++) out[i] = exchange(in[i]);
    T result;
    __builtin_memcpy(&result, out, sizeof(T));
    return result;
  }
}

WARPCELL_CPU_FN u32 lane_of_rank(u32 mask, u32 rank) {
  for (; rank > 0; rank--) mask &= mask - 1;
  return mask == 0 ? own_lane() : u32(__builtin_ctz(mask));
}

// The bits of `lanes` that `mask` names, side by side.
WARPCELL_CPU_FN u32 by_rank(u32 lanes, u32 mask) {
  u32 packed = 0, rank = 0;
  for (u32 left = mask; left != 0; left &= left - 1, rank++) packed |= (lanes >> __builtin_ctz(left) & 1) << rank;
  return packed;
}

}  // namespace warpcell_cpu

namespace cooperative_groups {

// Lanes of a warp, in any selection; each knows its rank among them.
class coalesced_group : public thread_group {
 public:
  WARPCELL_CPU_MEMBER explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1) : thread_group(Kind::lanes, mask, meta_rank, meta_size) {}
  WARPCELL_CPU_MEMBER unsigned num_threads() const { return unsigned(__builtin_popcount(mask_)); }
  WARPCELL_CPU_MEMBER unsigned size() const { return num_threads(); }
  WARPCELL_CPU_MEMBER unsigned thread_rank() const { return unsigned(thread_group::thread_rank()); }
  WARPCELL_CPU_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
  WARPCELL_CPU_MEMBER unsigned meta_group_size() const { return meta_size_; }
  WARPCELL_CPU_MEMBER unsigned warpcell_cpu_mask() const { return mask_; }

  template <class T>
  WARPCELL_CPU_MEMBER T shfl(T value, int rank, unsigned line = __builtin_LINE()) const {
    return from(warpcell_cpu::lane_of_rank(mask_, unsigned(rank) % num_threads()), value, line);
  }
  template <class T>
  WARPCELL_CPU_MEMBER T shfl_up(T value, unsigned distance, unsigned line = __builtin_LINE()) const {
    const unsigned rank = thread_rank();
    return from(distance <= rank ? warpcell_cpu::lane_of_rank(mask_, rank - distance) : warpcell_cpu::own_lane(), value, line);
  }
  template <class T>
  WARPCELL_CPU_MEMBER T shfl_down(T value, unsigned distance, unsigned line = __builtin_LINE()) const {
    const unsigned rank = thread_rank();
    return from(distance < num_threads() - rank ? warpcell_cpu::lane_of_rank(mask_, rank + distance) : warpcell_cpu::own_lane(), value, line);
  }
  WARPCELL_CPU_MEMBER int any(int predicate, unsigned line = __builtin_LINE()) const { return __any_sync(mask_, predicate, line); }
  WARPCELL_CPU_MEMBER int all(int predicate, unsigned line = __builtin_LINE()) const { return __all_sync(mask_, predicate, line); }
  WARPCELL_CPU_MEMBER unsigned ballot(int predicate, unsigned line = __builtin_LINE()) const {
    return warpcell_cpu::by_rank(__ballot_sync(mask_, predicate, line), mask_);
  }
  template <class T>
  WARPCELL_CPU_MEMBER unsigned match_any(T value, unsigned line = __builtin_LINE()) const { return warpcell_cpu::by_rank(__match_any_sync(mask_, value, line), mask_); }
  template <class T>
  WARPCELL_CPU_MEMBER unsigned match_all(T value, int& same, unsigned line = __builtin_LINE()) const {
    return warpcell_cpu::by_rank(__match_all_sync(mask_, value, &same, line), mask_);
  }

 private:
  template <class T>
  WARPCELL_CPU_MEMBER T from(unsigned lane, T value, unsigned line) const {
    const unsigned mask = mask_;
    return warpcell_cpu::by_words(value, [=](auto word) { return __shfl_sync(mask, word, int(lane), 32, line); });
  }
};

// A macro, since each place in the source is a group of its own.
WARPCELL_CPU_FN coalesced_group warpcell_cpu_coalesced(unsigned site, unsigned line) { return coalesced_group(warpcell_cpu::active(site, line)); }
#define coalesced_threads() warpcell_cpu_coalesced(__COUNTER__, __LINE__)

// N threads of a warp that follow one another.
template <unsigned N, class Parent = thread_block>
class thread_block_tile : public thread_group {
  static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16 || N == 32, "A tile has 1, 2, 4, 8, 16 or 32 threads; tiles of several warps need a GPU.");
  static WARPCELL_CPU_MEMBER unsigned first() { return warpcell_cpu::own_lane() / N * N; }
  static WARPCELL_CPU_MEMBER unsigned mask() { return (N == 32 ? 0xffffffffu : (1u << N % 32) - 1) << first(); }
  static WARPCELL_CPU_MEMBER unsigned own(unsigned lanes) { return (lanes & mask()) >> first(); }

 public:
  WARPCELL_CPU_MEMBER thread_block_tile() : thread_group(Kind::lanes, mask(), meta_group_rank(), meta_group_size()) {}
  static WARPCELL_CPU_MEMBER void sync(unsigned line = __builtin_LINE()) { __syncwarp(mask(), line); }
  static WARPCELL_CPU_MEMBER unsigned thread_rank() { return warpcell_cpu::linear_thread() % N; }
  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  static WARPCELL_CPU_MEMBER unsigned meta_group_rank();
  static WARPCELL_CPU_MEMBER unsigned meta_group_size();
  static WARPCELL_CPU_MEMBER unsigned warpcell_cpu_mask() { return mask(); }
  WARPCELL_CPU_MEMBER operator coalesced_group() const { return coalesced_group(mask(), meta_group_rank(), meta_group_size()); }

#define WARPCELL_CPU_TILE_SHUFFLE(name, intrinsic, argument_type)                                                                 \
  template <class T>                                                                                                              \
  WARPCELL_CPU_MEMBER T name(T value, argument_type argument, unsigned line = __builtin_LINE()) const {                           \
    return warpcell_cpu::by_words(value, [=](auto word) { return intrinsic(mask(), word, argument, N, line); });                  \
  }
  WARPCELL_CPU_TILE_SHUFFLE(shfl, __shfl_sync, int)
  WARPCELL_CPU_TILE_SHUFFLE(shfl_up, __shfl_up_sync, unsigned)
  WARPCELL_CPU_TILE_SHUFFLE(shfl_down, __shfl_down_sync, unsigned)
  WARPCELL_CPU_TILE_SHUFFLE(shfl_xor, __shfl_xor_sync, int)
#undef WARPCELL_CPU_TILE_SHUFFLE
  WARPCELL_CPU_MEMBER int any(int predicate, unsigned line = __builtin_LINE()) const { return __any_sync(mask(), predicate, line); }
  WARPCELL_CPU_MEMBER int all(int predicate, unsigned line = __builtin_LINE()) const { return __all_sync(mask(), predicate, line); }
  WARPCELL_CPU_MEMBER unsigned ballot(int predicate, unsigned line = __builtin_LINE()) const { return own(__ballot_sync(mask(), predicate, line)); }
  template <class T>
  WARPCELL_CPU_MEMBER unsigned match_any(T value, unsigned line = __builtin_LINE()) const { return own(__match_any_sync(mask(), value, line)); }
  template <class T>
  WARPCELL_CPU_MEMBER unsigned match_all(T value, int& same, unsigned line = __builtin_LINE()) const { return own(__match_all_sync(mask(), value, &same, line)); }
};

// Which part of its parent a tile is, and of how many.
template <class Parent>
struct warpcell_cpu_parts {
  template <unsigned N> static WARPCELL_CPU_MEMBER unsigned rank() { return warpcell_cpu::linear_thread() / N; }
  template <unsigned N> static WARPCELL_CPU_MEMBER unsigned count() { return (warpcell_cpu::volume(blockDim) + N - 1) / N; }
};
template <unsigned M, class Grandparent>
struct warpcell_cpu_parts<thread_block_tile<M, Grandparent>> {
  template <unsigned N> static WARPCELL_CPU_MEMBER unsigned rank() { return warpcell_cpu::linear_thread() % M / N; }
  template <unsigned N> static constexpr unsigned count() { return M / N; }
};
template <unsigned N, class Parent>
unsigned thread_block_tile<N, Parent>::meta_group_rank() { return warpcell_cpu_parts<Parent>::template rank<N>(); }
template <unsigned N, class Parent>
unsigned thread_block_tile<N, Parent>::meta_group_size() { return warpcell_cpu_parts<Parent>::template count<N>(); }

template <unsigned N>
WARPCELL_CPU_FN thread_block_tile<N, thread_block> tiled_partition(const thread_block&) { return {}; }
template <unsigned N, unsigned M, class Parent>
WARPCELL_CPU_FN thread_block_tile<N, thread_block_tile<M, Parent>> tiled_partition(const thread_block_tile<M, Parent>&) {
  static_assert(N <= M, "A tile of a tile has no more threads than that.");
  return {};
}
WARPCELL_CPU_FN thread_block_tile<1, thread_block> this_thread() { return {}; }

// `size` lanes after another of those that `mask` names.
WARPCELL_CPU_FN coalesced_group warpcell_cpu_part(unsigned mask, unsigned size) {
  const unsigned lanes = unsigned(__builtin_popcount(mask)), rank = unsigned(__builtin_popcount(mask & warpcell_cpu::lanes_below(warpcell_cpu::own_lane())));
  unsigned part = 0, at = 0;
  for (unsigned left = mask; left != 0; left &= left - 1, at++) {
    if (at / size == rank / size) part |= left & -left;
  }
  return coalesced_group(part, rank / size, (lanes + size - 1) / size);
}
WARPCELL_CPU_FN coalesced_group tiled_partition(const coalesced_group& group, unsigned size) { return warpcell_cpu_part(group.warpcell_cpu_mask(), size); }
template <unsigned N>
WARPCELL_CPU_FN coalesced_group tiled_partition(const coalesced_group& group) { return warpcell_cpu_part(group.warpcell_cpu_mask(), N); }
inline thread_group tiled_partition(const thread_group& group, unsigned size) {
  if (group.kind_ == thread_group::Kind::lanes) return warpcell_cpu_part(group.mask_, size);
  const unsigned first = warpcell_cpu::own_lane() / size * size;
  return coalesced_group((size >= 32 ? 0xffffffffu : (1u << size) - 1) << first, warpcell_cpu::linear_thread() / size, (warpcell_cpu::volume(blockDim) + size - 1) / size);
}
WARPCELL_CPU_FN thread_group tiled_partition(const thread_block& group, unsigned size) { return tiled_partition(static_cast<const thread_group&>(group), size); }

// Those with the same label; the parts are numbered by their first lanes.
template <class Group, class Label>
WARPCELL_CPU_FN coalesced_group labeled_partition(const Group& group, Label label, unsigned line = __builtin_LINE()) {
  const unsigned mask = group.warpcell_cpu_mask(), part = __match_any_sync(mask, label, line);
  const unsigned leaders = __ballot_sync(mask, (part & -part) == 1u << warpcell_cpu::own_lane(), line);
  return coalesced_group(part, unsigned(__builtin_popcount(leaders & ((part & -part) - 1))), unsigned(__builtin_popcount(leaders)));
}
// Those for whom it holds are the second part, if there are others.
template <class Group>
WARPCELL_CPU_FN coalesced_group binary_partition(const Group& group, bool predicate, unsigned line = __builtin_LINE()) {
  const unsigned mask = group.warpcell_cpu_mask(), holds = __ballot_sync(mask, predicate, line), part = predicate ? holds : mask & ~holds;
  const bool is_whole = part == mask;
  return coalesced_group(part, predicate && !is_whole, is_whole ? 1 : 2);
}

}  // namespace cooperative_groups
