// The passes of attention by warps that multiply on tensor cores, each for itself. M: how (half_products.cuh,
// float_products.cuh); S: the shape of a block.
#pragma once
#include "online_softmax.cuh"

namespace warpcell::attention {

// `is_general`: with a mask, a soft cap or a scale that is not positive; without, keys are left out by their places
// alone. `bend`: a function of the user's (bend.cuh), for which a pass is general.
template <class M, class S, bool is_general, class Bend = Unbent>
__device__ inline void forward_pass(const typename M::Element* q, const typename M::Element* k,
                                    const typename M::Element* v, const void* mask, typename M::Element* out,
                                    float* log_sums, const Problem& p, const Bend& bend = {}) {
  using T = typename M::Element;
  constexpr int width = S::kWidth, kFragments = S::kFragments, kKeys = S::kKeys;
  unsigned char* const shared = instructions::asked_memory();
  const SharedTile<T, S::kQueries, width> queries{instructions::shared_address(shared)};
  const SharedTile<T, kKeys, width> keys{queries.base + queries.kBytes}, values{keys.base + keys.kBytes};

  const int thread = threadIdx.x, lane = thread % 32;
  const BlockPlace place = place_of(blockIdx.x, p.batches, p.heads, (p.queries + S::kQueries - 1) / S::kQueries,
                                    2 * sizeof(T) * p.keys * p.width);
  const int first = place.block * S::kQueries, row = thread / 32 * kFragments * 16;
  const int head_of_keys = place.head / p.group;
  q += p.q.at(place.batch, place.head);
  k += p.k.at(place.batch, head_of_keys);
  v += p.v.at(place.batch, head_of_keys);
  const TileScores<T, is_general, false, Bend> scores(p, mask, place.batch, place.head, bend);
  const float factor = scores.factor();

  Fragment<width> result[kFragments];
  OnlineRow rows[kFragments][2];
#pragma unroll
  for (int f = 0; f < kFragments; f++) result[f].clear();

  const Range seen = scores.sight.keys_of(first, S::kQueries);
  // The first tile from `key` on that one of the queries looks at.
  auto next = [&](int key) {
    while (key < seen.end && scores.skips(first, S::kQueries, key, kKeys)) key += kKeys;
    return key;
  };
  int key = seen.is_empty() ? seen.end : next(seen.begin / kKeys * kKeys);
  if (key < seen.end) {
    queries.template copy<S::kThreads>(q, p.q.token, first, p.queries, p.width, thread);
    keys.template copy<S::kThreads>(k, p.k.token, key, p.keys, p.width, thread);
    instructions::close_copies();
    for (int after; key < seen.end; key = after) {
      instructions::await_copies<0>();
      __syncthreads();
      values.template copy<S::kThreads>(v, p.v.token, key, p.keys, p.width, thread);
      instructions::close_copies();

      Fragment<kKeys> powers[kFragments];
#pragma unroll
      for (int f = 0; f < kFragments; f++) powers[f].clear();
      M::multiply_turned(powers, queries, row, keys, lane);

      instructions::await_copies<0>();
      __syncthreads();
      after = next(key + kKeys);
      if (after < seen.end) keys.template copy<S::kThreads>(k, p.k.token, after, p.keys, p.width, thread);
      instructions::close_copies();

#pragma unroll
      for (int f = 0; f < kFragments; f++) {
        scores.apply(powers[f], first + row + f * 16, key, lane, [](int, int, float) {});
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const float kept = rows[f][half].template take<kKeys / 4>(
              [&](int at) -> float& { return powers[f].at[at / 2][half * 2 + at % 2]; }, factor);
#pragma unroll
          for (int n = 0; n < width / 8; n++) {
            result[f].at[n][half * 2] *= kept;
            result[f].at[n][half * 2 + 1] *= kept;
          }
        }
      }
      M::multiply(result, powers, values, 0, lane);
    }
  }

  out += p.out.at(place.batch, place.head);
  log_sums += (long long)(place.batch * p.heads + place.head) * p.queries;
#pragma unroll
  for (int f = 0; f < kFragments; f++) {
    const int begin = first + row + f * 16;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      OnlineRow& known = rows[f][half];
      known.finish();
      const int query = begin + lane / 4 + half * 8;
      if (lane % 4 == 0 && query < p.queries) log_sums[query] = known.log_sum(factor);
    }
    M::write(result[f], out + begin * p.out.token, p.out.token, int(p.queries) - begin, int(p.width),
             rows[f][0].inverse(), rows[f][1].inverse(), lane);
  }
}

// Gradients of keys and values (S::kIsOfKeys), or of queries.
template <class M, class S, bool is_general, class Bend = Unbent>
__device__ inline void gradient_pass(const typename M::Element* q, const typename M::Element* k,
                                     const typename M::Element* v, const void* mask, const typename M::Element* d_out,
                                     const float* log_sums, const float* deltas, typename M::Element* d_first,
                                     typename M::Element* d_second, const Problem& p, const Gradients& steps,
                                     const Bend& bend = {}) {
  using T = typename M::Element;
  constexpr int width = S::kWidth;
  constexpr bool is_of_keys = S::kIsOfKeys;
  constexpr int kPassing = S::kPassing, kPart = S::kPart;
  using Kept = SharedTile<T, S::kKept, width>;
  using Passing = SharedTile<T, kPassing, width>;
  unsigned char* const shared = instructions::asked_memory();
  const uint base = instructions::shared_address(shared);
  const Kept kept{base}, kept_other{base + Kept::kBytes};
  float* row_values = (float*)(shared + S::kTiles);  // of passing queries: log-sums, then deltas

  const int thread = threadIdx.x, lane = thread % 32, row = thread / 32 * 16;
  const int kept_length = is_of_keys ? p.keys : p.queries, kept_heads = is_of_keys ? p.key_heads() : p.heads;
  const int blocks = (kept_length + S::kKept - 1) / S::kKept;
  const BlockPlace place =
      place_of(blockIdx.x / S::kParts, p.batches, kept_heads, blocks, 2 * sizeof(T) * p.queries * p.width);
  const int column = blockIdx.x % S::kParts * kPart;
  // The first keys are seen by most.
  const int first = (is_of_keys ? blocks - 1 - place.block : place.block) * S::kKept;
  const int head_of_keys = is_of_keys ? place.head : place.head / p.group;
  k += p.k.at(place.batch, head_of_keys);
  v += p.v.at(place.batch, head_of_keys);
  const Sight sight(p);
  const Range range = is_of_keys ? sight.queries_of(first, S::kKept) : sight.keys_of(first, S::kKept);
  const int from = range.is_empty() ? 0 : range.begin / kPassing * kPassing;
  const int tiles = range.is_empty() ? 0 : (range.end - from + kPassing - 1) / kPassing;
  const int count = is_of_keys ? tiles * p.group : tiles;
  auto head_at = [&](int index) { return is_of_keys ? place.head * p.group + index / tiles : place.head; };
  auto passing_at = [&](int index) { return from + (is_of_keys ? index % tiles : index) * kPassing; };
  auto scores_at = [&](int index) {
    return TileScores<T, is_general, is_of_keys, Bend>(p, mask, place.batch, head_at(index), bend);
  };
  // The first tile from `index` on of which a pair is looked at.
  auto next = [&](int index) {
    while (index < count && (is_of_keys ? scores_at(index).skips(passing_at(index), kPassing, first, S::kKept)
                                        : scores_at(index).skips(first, S::kKept, passing_at(index), kPassing)))
      index++;
    return index;
  };
  // `turn`: how many tiles were before it, which take their places in turns.
  auto tile_at = [&](int turn, int which) {
    return Passing{base + 2 * Kept::kBytes + (turn % S::kStages * 2 + which) * Passing::kBytes};
  };
  // What a row that is not there, or sees nothing, has for its log-sum leaves no power.
  auto load_row = [&](int head, int query, float& log_sum, float& delta) {
    log_sum = -unseen(), delta = 0;
    if (query >= p.queries) return;
    const long long at = (long long)(place.batch * p.heads + head) * p.queries + query;
    log_sum = log_sums[at] == unseen() ? -unseen() : log_sums[at] * kLog2E;
    delta = deltas[at];
  };
  auto copy = [&](int index, int turn) {
    const int at = passing_at(index);
    if constexpr (is_of_keys) {
      const int head = head_at(index);
      tile_at(turn, 0).template copy<S::kThreads>(q + p.q.at(place.batch, head), p.q.token, at, p.queries, p.width,
                                                  thread);
      tile_at(turn, 1).template copy<S::kThreads>(d_out + steps.d_out.at(place.batch, head), steps.d_out.token, at,
                                                  p.queries, p.width, thread);
      float* values = row_values + turn % S::kStages * kPassing * 2;
      if (thread < kPassing) load_row(head, at + thread, values[thread], values[kPassing + thread]);
    } else {
      tile_at(turn, 0).template copy<S::kThreads>(k, p.k.token, at, p.keys, p.width, thread);
      tile_at(turn, 1).template copy<S::kThreads>(v, p.v.token, at, p.keys, p.width, thread);
    }
    instructions::close_copies();
  };

  float log_sum[2], delta[2];
  int index = next(0);
  if (index < count) {
    if constexpr (is_of_keys) {
      kept.template copy<S::kThreads>(k, p.k.token, first, p.keys, p.width, thread);
      kept_other.template copy<S::kThreads>(v, p.v.token, first, p.keys, p.width, thread);
    } else {
      kept.template copy<S::kThreads>(q + p.q.at(place.batch, place.head), p.q.token, first, p.queries, p.width,
                                      thread);
      kept_other.template copy<S::kThreads>(d_out + steps.d_out.at(place.batch, place.head), steps.d_out.token, first,
                                            p.queries, p.width, thread);
#pragma unroll
      for (int half = 0; half < 2; half++)
        load_row(place.head, first + row + lane / 4 + half * 8, log_sum[half], delta[half]);
    }
    copy(index, 0);
  }

  // Of scores: gradients of keys or of queries. Of powers: of values.
  Fragment<kPart> of_scores[1], of_powers[1];
  of_scores[0].clear();
  of_powers[0].clear();
  for (int turn = 0, after; index < count; turn++, index = after) {
    after = next(index + 1);
    if (S::kStages > 1 && after < count) {
      copy(after, turn + 1);
      instructions::await_copies<1>();
    } else {
      instructions::await_copies<0>();
    }
    __syncthreads();
    const Passing passing = tile_at(turn, 0), passing_other = tile_at(turn, 1);
    const float* values = row_values + turn % S::kStages * kPassing * 2;
    const int at = passing_at(index);
    const auto scores = scores_at(index);

    Fragment<kPassing> powers[1], gradients[1];
    powers[0].clear();
    gradients[0].clear();
    M::multiply_turned(powers, kept, row, passing, lane);
    M::multiply_turned(gradients, kept_other, row, passing_other, lane);
    gradients[0].each(lane, [&](float& gradient, int, int e, int, int j) {
      gradient -= is_of_keys ? values[kPassing + j] : delta[e / 2];
    });
    scores.apply(powers[0], first + row, at, lane, [&](int n, int e, float slope) { gradients[0].at[n][e] *= slope; });
    const float factor = scores.factor();
    powers[0].each(lane, [&](float& power, int n, int e, int, int j) {
      power = instructions::flushed_exp2(power * factor - (is_of_keys ? values[j] : log_sum[e / 2]));
      gradients[0].at[n][e] *= power;
    });
    if constexpr (is_of_keys) M::multiply(of_powers, powers, passing_other, column, lane);
    M::multiply(of_scores, gradients, passing, column, lane);
    __syncthreads();
    if (S::kStages == 1 && after < count) copy(after, turn + 1);
  }

  const float slope = is_general ? 1.0f : float(p.scale);
  const Steps &to = is_of_keys ? steps.dk : steps.dq, &to_second = steps.dv;
  const int begin = first + row, there = kept_length - begin, present = int(p.width) - column;
  M::write(of_scores[0], d_first + to.at(place.batch, place.head) + begin * to.token + column, to.token, there, present,
           slope, slope, lane);
  if constexpr (is_of_keys)
    M::write(of_powers[0], d_second + to_second.at(place.batch, place.head) + begin * to_second.token + column,
             to_second.token, there, present, 1, 1, lane);
}

}  // namespace warpcell::attention
