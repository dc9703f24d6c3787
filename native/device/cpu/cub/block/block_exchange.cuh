// <cub/block/block_exchange.cuh> for a cell: the threads of a block hand each other their elements, in other arrangements or at places that they name.
#pragma once
#include "../../warpcell_cpu/collectives.h"

namespace cub {

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
  static constexpr int kThreads = X * Y * Z;

 public:
  using TempStorage = warpcell_cpu::Room<T, kThreads * N>;
  WARPCELL_CPU_MEMBER explicit BlockExchange(TempStorage& storage, unsigned line = __builtin_LINE()) : room_(storage), block_{line} {}
  WARPCELL_CPU_MEMBER BlockExchange(unsigned line = __builtin_LINE()) : room_(warpcell_cpu::private_storage<T, TempStorage>()), block_{line} {}

#define WARPCELL_CPU_EXCHANGE(name, from, to)                                                                       \
  template <class Out>                                                                                              \
  WARPCELL_CPU_MEMBER void name(const T (&in)[N], Out (&out)[N]) {                                                  \
    for (int i = 0; i < N; i++) room_[from(i)] = in[i];                                                             \
    block_.meet();                                                                                                  \
    for (int i = 0; i < N; i++) out[i] = room_[to(i)];                                                              \
  }                                                                                                                 \
  WARPCELL_CPU_MEMBER void name(T (&items)[N]) { name(items, items); }
  WARPCELL_CPU_EXCHANGE(StripedToBlocked, striped, blocked) WARPCELL_CPU_EXCHANGE(BlockedToStriped, blocked, striped)
  WARPCELL_CPU_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked) WARPCELL_CPU_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef WARPCELL_CPU_EXCHANGE

#define WARPCELL_CPU_SCATTER(name, to)                                                                              \
  template <class Out, class Rank>                                                                                  \
  WARPCELL_CPU_MEMBER void name(const T (&in)[N], Out (&out)[N], const Rank (&ranks)[N]) {                          \
    for (int i = 0; i < N; i++) room_[int(ranks[i])] = in[i];                                                       \
    block_.meet();                                                                                                  \
    for (int i = 0; i < N; i++) out[i] = room_[to(i)];                                                              \
  }                                                                                                                 \
  template <class Rank>                                                                                             \
  WARPCELL_CPU_MEMBER void name(T (&items)[N], const Rank (&ranks)[N]) { name(items, items, ranks); }
  WARPCELL_CPU_SCATTER(ScatterToBlocked, blocked) WARPCELL_CPU_SCATTER(ScatterToStriped, striped)
#undef WARPCELL_CPU_SCATTER
  // Those with a negative rank, or without a flag, go nowhere.
  template <class Out, class Rank>
  WARPCELL_CPU_MEMBER void ScatterToStripedGuarded(const T (&in)[N], Out (&out)[N], const Rank (&ranks)[N]) {
    for (int i = 0; i < N; i++)
      if (int(ranks[i]) >= 0) room_[int(ranks[i])] = in[i];
    block_.meet();
    for (int i = 0; i < N; i++) out[i] = room_[striped(i)];
  }
  template <class Out, class Rank, class Flag>
  WARPCELL_CPU_MEMBER void ScatterToStripedFlagged(const T (&in)[N], Out (&out)[N], const Rank (&ranks)[N], const Flag (&flags)[N]) {
    for (int i = 0; i < N; i++)
      if (flags[i]) room_[int(ranks[i])] = in[i];
    block_.meet();
    for (int i = 0; i < N; i++) out[i] = room_[striped(i)];
  }

 private:
  WARPCELL_CPU_MEMBER int blocked(int i) const { return block_.rank() * N + i; }
  WARPCELL_CPU_MEMBER int striped(int i) const { return block_.rank() + i * kThreads; }
  WARPCELL_CPU_MEMBER int warp_striped(int i) const { return block_.rank() / 32 * 32 * N + block_.rank() % 32 + 32 * i; }
  TempStorage& room_;
  warpcell_cpu::WholeBlock<kThreads> block_;
};

}  // namespace cub
