// The passes of attention by warp groups of Hopper (sm_90a): one group copies keys and values into shared memory, the
// others multiply, each with the softmax of one tile under the products of the next (Shah and others, FlashAttention-3,
// arXiv 2407.08608). S: the shape of a block (group_shapes.cuh).
#pragma once
#include "group_products.cuh"
#include "online_softmax.cuh"
#include "slots.cuh"

namespace warpcell::attention {

template <class T, class S, int width>
struct ForwardTiles {
  using Keys = SharedTile<T, S::kKeys, width>;
  SharedTile<T, S::kQueries, width> queries;
  uint first_keys, first_values;
  Slots of_queries, of_keys, of_values;
  __device__ explicit ForwardTiles(uint base)
      : queries{base},
        first_keys(base + queries.kBytes),
        first_values(first_keys + S::kSlots * Keys::kBytes),
        of_queries{base + S::kTiles, 1},
        of_keys{of_queries.barriers + kSlotBytes, S::kSlots},
        of_values{of_keys.barriers + S::kSlots * kSlotBytes, S::kSlots} {}
  __device__ Keys keys(int slot) const { return {first_keys + slot * Keys::kBytes}; }
  __device__ Keys values(int slot) const { return {first_values + slot * Keys::kBytes}; }
};

// A block's tiles of queries: longest first, in one direction and then in the other, so that all blocks get as much.
struct TileOrder {
  int count, round = 0;
  __device__ bool has_next(int& tile) {
    const int blocks = gridDim.x, at = round % 2 ? blocks - 1 - int(blockIdx.x) : int(blockIdx.x);
    tile = round++ * blocks + at;
    return tile < count;
  }
};

// `is_general`, `bend`: as in warp_passes.cuh, but for a function that has tiles be skipped.
template <class T, class S, int width, bool is_general, class Bend = Unbent>
__device__ inline void group_forward_pass(const T* q, const T* k, const T* v, const void* mask, T* out, float* log_sums,
                                          const Problem& p, const Bend& bend = {}) {
  constexpr int kKeys = S::kKeys, kWarps = 4 * S::kGroups;
  extern __shared__ __align__(1024) unsigned char shared[];
  const ForwardTiles<T, S, width> tiles(instructions::shared_address(shared));
  if (threadIdx.x == 0) {
    tiles.of_queries.make(128, kWarps);
    tiles.of_keys.make(128, kWarps);
    tiles.of_values.make(128, kWarps);
  }
  __syncthreads();

  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128, lane = thread % 32;
  const int blocks = int((p.queries + S::kQueries - 1) / S::kQueries);
  const Sight sight(p);
  TileOrder order{int(p.batches * p.heads) * blocks};
  Turn<1> query_turn;
  Turn<S::kSlots> key_turn, value_turn;
  auto place_at = [&](int tile) { return place_of(tile, int(p.batches), int(p.heads), blocks, 4 * p.keys * p.width); };

  if (group < 0) {
    instructions::give_registers<S::kFillerRegisters>();
    for (int tile; order.has_next(tile);) {
      const BlockPlace place = place_at(tile);
      const int first = place.block * S::kQueries, head_of_keys = place.head / int(p.group);
      const Range seen = sight.keys_of(first, S::kQueries);
      const T* keys = k + p.k.at(place.batch, head_of_keys);
      const T* values = v + p.v.at(place.batch, head_of_keys);
      auto fill_values = [&](int key) {
        tiles.of_values.await_used(value_turn);
        tiles.values(value_turn.slot).template copy<128>(values, p.v.token, key, sight.keys, int(p.width), thread);
        tiles.of_values.close(value_turn);
        value_turn.next();
      };
      tiles.of_queries.await_used(query_turn);
      tiles.queries.template copy<128>(q + p.q.at(place.batch, place.head), p.q.token, first, sight.queries,
                                       int(p.width), thread);
      tiles.of_queries.close(query_turn);
      query_turn.next();
      if (seen.is_empty()) continue;
      const int from = seen.begin / kKeys * kKeys;
      for (int key = from; key < seen.end; key += kKeys) {
        tiles.of_keys.await_used(key_turn);
        tiles.keys(key_turn.slot).template copy<128>(keys, p.k.token, key, sight.keys, int(p.width), thread);
        tiles.of_keys.close(key_turn);
        key_turn.next();
        if (key > from) fill_values(key - kKeys);
      }
      fill_values((seen.end - 1) / kKeys * kKeys);
    }
    return;
  }

  instructions::take_registers<S::kRegisters>();
  // The groups take turns at giving products to the tensor cores: one works out powers meanwhile.
  const int mine = 1 + group, others = 1 + (group + 1) % S::kGroups;
  if (group == S::kGroups - 1) instructions::announce(others, 256);
  const int row = group * 64 + thread / 32 * 16;
  for (int tile; order.has_next(tile);) {
    const BlockPlace place = place_at(tile);
    const int first = place.block * S::kQueries;
    const Range seen = sight.keys_of(first, S::kQueries);
    const TileScores<T, is_general, false, Bend> scores(p, mask, place.batch, place.head, bend);
    const float factor = scores.factor();
    Fragment<width> result;
    OnlineRow rows[2];
    result.clear();
    tiles.of_queries.await_filled(query_turn);

    if (!seen.is_empty()) {
      Fragment<kKeys> products;
      uint powers[kKeys / 16][4];
      float kept[2];
      auto soften = [&](int key) {
        scores.apply(products, first + row, key, lane, [](int, int, float) {});
#pragma unroll
        for (int half = 0; half < 2; half++)
          kept[half] = rows[half].template take<kKeys / 4>(
              [&](int at) -> float& { return products.at[at / 2][half * 2 + at % 2]; }, factor);
      };
      auto pack = [&] {
#pragma unroll
        for (int depth = 0; depth < kKeys / 16; depth++) products.template left<T>(powers[depth], depth);
      };
      int key = seen.begin / kKeys * kKeys;
      tiles.of_keys.await_filled(key_turn);
      instructions::begin_products();
      group_product_turned(products, tiles.queries, group * 64, tiles.keys(key_turn.slot));
      instructions::close_products();
      instructions::await_products<0>();
      settle(products);
      tiles.of_keys.release(key_turn, lane);
      key_turn.next();
      soften(key);
      pack();
      for (key += kKeys; key < seen.end; key += kKeys) {
        tiles.of_keys.await_filled(key_turn);
        instructions::meet(mine, 256);
        instructions::begin_products();
        group_product_turned(products, tiles.queries, group * 64, tiles.keys(key_turn.slot));
        instructions::close_products();
        tiles.of_values.await_filled(value_turn);
        group_product<T>(result, powers, tiles.values(value_turn.slot), 0, true);
        instructions::close_products();
        instructions::announce(others, 256);
        instructions::await_products<1>();
        settle(products);
        tiles.of_keys.release(key_turn, lane);
        key_turn.next();
        soften(key);
        instructions::await_products<0>();
        settle(result);
        tiles.of_values.release(value_turn, lane);
        value_turn.next();
        pack();
        if (__any_sync(0xffffffffu, kept[0] != 1 || kept[1] != 1))
          result.each(lane, [&](float& sum, int, int e, int, int) { sum *= kept[e / 2]; });
      }
      tiles.of_queries.release(query_turn, lane);
      tiles.of_values.await_filled(value_turn);
      instructions::begin_products();
      group_product<T>(result, powers, tiles.values(value_turn.slot), 0, true);
      instructions::close_products();
      instructions::await_products<0>();
      settle(result);
      tiles.of_values.release(value_turn, lane);
      value_turn.next();
    } else {
      tiles.of_queries.release(query_turn, lane);
    }
    query_turn.next();

    const int begin = first + row;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      rows[half].finish();
      const int query = begin + lane / 4 + half * 8;
      if (lane % 4 == 0 && query < sight.queries)
        log_sums[(place.batch * p.heads + place.head) * p.queries + query] = rows[half].log_sum(factor);
    }
    result.template write<T>(out + p.out.at(place.batch, place.head) + begin * p.out.token, p.out.token,
                             sight.queries - begin, int(p.width), rows[0].inverse(), rows[1].inverse(), lane);
  }
}

// Gradients of keys and values, or of queries.
template <class T, class S, int width, bool is_general, bool is_of_keys, class Bend = Unbent>
__device__ inline void group_gradient_pass(const T* q, const T* k, const T* v, const void* mask, const T* d_out,
                                           const float* log_sums, const float* deltas, T* d_first, T* d_second,
                                           const Problem& p, const Gradients& steps, const Bend& bend = {}) {
  constexpr int kPassing = S::kPassing, kPart = S::kPart, kWarps = 4 * S::kGroups;
  using Kept = SharedTile<T, S::kKept, width>;
  using Passing = SharedTile<T, kPassing, width>;
  extern __shared__ __align__(1024) unsigned char shared[];
  const uint base = instructions::shared_address(shared);
  const Kept kept{base}, kept_other{base + Kept::kBytes};
  float* row_values = (float*)(shared + S::kTiles);  // of passing queries: log-sums, then deltas
  const Slots of_kept{base + S::kTiles + S::kRowValues, 1}, of_passing{of_kept.barriers + kSlotBytes, S::kSlots};
  if (threadIdx.x == 0) {
    of_kept.make(128, kWarps);
    of_passing.make(128, kWarps);
  }
  __syncthreads();

  const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128, lane = thread % 32;
  const Sight sight(p);
  const int kept_length = is_of_keys ? sight.keys : sight.queries;
  const int blocks = (kept_length + S::kKept - 1) / S::kKept;
  const BlockPlace place = place_of(blockIdx.x, int(p.batches), int(is_of_keys ? p.key_heads() : p.heads), blocks,
                                    4 * (is_of_keys ? p.queries : p.keys) * p.width);
  // The first keys are seen by most.
  const int first = (is_of_keys ? blocks - 1 - place.block : place.block) * S::kKept;
  const Range range = is_of_keys ? sight.queries_of(first, S::kKept) : sight.keys_of(first, S::kKept);
  const int from = range.is_empty() ? 0 : range.begin / kPassing * kPassing;
  const int tiles = range.is_empty() ? 0 : (range.end - from + kPassing - 1) / kPassing;
  const int members = is_of_keys ? int(p.group) : 1, first_head = is_of_keys ? place.head * int(p.group) : place.head;
  const Turn<1> kept_turn;
  Turn<S::kSlots> turn;
  auto passing = [&](int which) {
    return Passing{base + 2 * Kept::kBytes + turn.slot * S::kPassingBytes + which * Passing::kBytes};
  };
  auto values = [&] { return row_values + turn.slot * kPassing * 2; };
  auto values_at = [&] { return base + S::kTiles + turn.slot * kPassing * 8; };
  // A row that sees nothing has no power: its log-sum is as good as any that is finite.
  auto lowered = [](float log_sum) { return fmaxf(log_sum * kLog2E, -1e30f); };

  if (group < 0) {
    instructions::give_registers<S::kFillerRegisters>();
    const int head_of_keys = is_of_keys ? place.head : place.head / int(p.group);
    k += p.k.at(place.batch, head_of_keys);
    v += p.v.at(place.batch, head_of_keys);
    for (int member = 0; member < members; member++) {
      const T* queries = q + p.q.at(place.batch, first_head + member);
      const T* above = d_out + steps.d_out.at(place.batch, first_head + member);
      const T *mine = is_of_keys ? k : queries, *mine_other = is_of_keys ? v : above;
      const T *theirs = is_of_keys ? queries : k, *theirs_other = is_of_keys ? above : v;
      const long long mine_step = is_of_keys ? p.k.token : p.q.token,
                      mine_other_step = is_of_keys ? p.v.token : steps.d_out.token,
                      their_step = is_of_keys ? p.q.token : p.k.token,
                      their_other_step = is_of_keys ? steps.d_out.token : p.v.token;
      const int passing_length = is_of_keys ? sight.queries : sight.keys;
      if (member == 0 && tiles > 0) {
        kept.template copy<128>(mine, mine_step, first, kept_length, int(p.width), thread);
        kept_other.template copy<128>(mine_other, mine_other_step, first, kept_length, int(p.width), thread);
        of_kept.close(kept_turn);
      }
      for (int tile = 0; tile < tiles; tile++) {
        const int at = from + tile * kPassing;
        of_passing.await_used(turn);
        passing(0).template copy<128>(theirs, their_step, at, passing_length, int(p.width), thread);
        passing(1).template copy<128>(theirs_other, their_other_step, at, passing_length, int(p.width), thread);
        if (is_of_keys && thread < kPassing) {
          const long long row = (place.batch * p.heads + first_head + member) * p.queries;
          const bool is_there = at + thread < sight.queries;
          const int mine = is_there ? at + thread : 0;
          instructions::copy_or_clear_word(values_at() + thread * 4, log_sums + row + mine, is_there);
          instructions::copy_or_clear_word(values_at() + (kPassing + thread) * 4, deltas + row + mine, is_there);
        }
        of_passing.close(turn);
        turn.next();
      }
    }
    return;
  }

  instructions::take_registers<S::kRegisters>();
  const int group_row = S::kSharesRows ? 0 : group * 64, column = S::kSharesRows ? group * kPart : 0;
  const int row = group_row + thread / 32 * 16;
  float log_sum[2] = {}, delta[2] = {};
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const int query = first + row + lane / 4 + half * 8;
    if (is_of_keys || query >= sight.queries) continue;
    const long long at = (place.batch * p.heads + place.head) * p.queries + query;
    log_sum[half] = lowered(log_sums[at]);
    delta[half] = deltas[at];
  }
  // Of scores: gradients of keys or of queries. Of powers: of values.
  Fragment<kPart> of_scores, of_powers;
  of_scores.clear();
  of_powers.clear();
  if (tiles > 0) of_kept.await_filled(kept_turn);
  for (int member = 0; member < members; member++) {
    const TileScores<T, is_general, is_of_keys, Bend> scores(p, mask, place.batch, first_head + member, bend);
    const float factor = scores.factor();
    for (int tile = 0; tile < tiles; tile++) {
      const int at = from + tile * kPassing;
      Fragment<kPassing> powers, gradients;
      of_passing.await_filled(turn);
      instructions::begin_products();
      group_product_turned(powers, kept, group_row, passing(0));
      instructions::close_products();
      group_product_turned(gradients, kept_other, group_row, passing(1));
      instructions::close_products();
      instructions::await_products<is_general ? 0 : 1>();
      settle(powers);
      auto subtract_deltas = [&] {
        settle(gradients);
        gradients.each(lane, [&](float& gradient, int, int e, int, int j) {
          gradient -= is_of_keys ? values()[kPassing + j] : delta[e / 2];
        });
      };
      if constexpr (is_general) subtract_deltas();
      scores.apply(powers, first + row, at, lane, [&](int n, int e, float slope) { gradients.at[n][e] *= slope; });
      powers.each(lane, [&](float& power, int, int e, int, int j) {
        power = instructions::flushed_exp2(power * factor - (is_of_keys ? lowered(values()[j]) : log_sum[e / 2]));
      });
      uint packed[kPassing / 16][4], packed_gradients[kPassing / 16][4];
      auto multiply_powers = [&] {
        instructions::begin_products();
        group_product<T>(of_powers, packed, passing(1), column, true);
        instructions::close_products();
      };
      auto pack_powers = [&] {
#pragma unroll
        for (int depth = 0; depth < kPassing / 16; depth++) powers.template left<T>(packed[depth], depth);
      };
      if constexpr (is_of_keys && S::kOverlaps) {
        pack_powers();
        multiply_powers();
        instructions::await_products<1>();
      } else {
        instructions::await_products<0>();
      }
      if constexpr (!is_general) subtract_deltas();
      gradients.each(lane, [&](float& gradient, int n, int e, int, int) { gradient *= powers.at[n][e]; });
      if constexpr (is_of_keys && !S::kOverlaps) pack_powers();
#pragma unroll
      for (int depth = 0; depth < kPassing / 16; depth++) gradients.template left<T>(packed_gradients[depth], depth);
      if constexpr (is_of_keys && !S::kOverlaps) multiply_powers();
      instructions::begin_products();
      group_product<T>(of_scores, packed_gradients, passing(0), column, true);
      instructions::close_products();
      instructions::await_products<0>();
      settle(of_scores);
      settle(of_powers);
      of_passing.release(turn, lane);
      turn.next();
    }
  }

  const float slope = is_general ? 1.0f : float(p.scale);
  const Steps &to = is_of_keys ? steps.dk : steps.dq, &to_second = steps.dv;
  const int begin = first + row, there = kept_length - begin, present = int(p.width) - column;
  of_scores.template write<T>(d_first + to.at(place.batch, place.head) + begin * to.token + column, to.token, there,
                              present, slope, slope, lane);
  if constexpr (is_of_keys)
    of_powers.template write<T>(d_second + to_second.at(place.batch, place.head) + begin * to_second.token + column,
                                to_second.token, there, present, 1, 1, lane);
}

}  // namespace warpcell::attention
