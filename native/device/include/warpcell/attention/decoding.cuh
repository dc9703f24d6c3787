// Attention of few queries over many keys, as a model takes when it makes one token after another: all queries of a
// head of keys go along together, keys and values are read once, and blocks share the keys (Dao and others 2023,
// "Flash-Decoding for long-context inference").
#pragma once
#include <warpcell/attention/problem.cuh>
#include <warpcell/batches.cuh>
#include <warpcell/instructions.cuh>
#include <warpcell/sixteen_bytes.cuh>

namespace warpcell::attention {

constexpr int kDecodingWarps = 4, kDecodingThreads = 32 * kDecodingWarps;

// How a row of at most `bytes` bytes is shared: `lanes` neighbours have `packs` of 16 bytes each, `elements` in all.
template <class T, int bytes>
struct RowShare {
  static constexpr int lanes = bytes >= 512 ? 32 : bytes / 16, packs = bytes / 16 / lanes;
  static constexpr int width = 16 / int(sizeof(T)), elements = packs * width, columns = bytes / int(sizeof(T));
  // Keys that a block reads side by side.
  static constexpr int slots = kDecodingWarps * (32 / lanes);
};

// The part of a row that a lane has. Rows are read without branches, so that all loads are under way before the first
// has come: what is beyond a row's end, or a row that is none, is cleared afterwards.
template <class T, int bytes>
struct RowPart {
  using Share = RowShare<T, bytes>;
  uint4 pack[Share::packs];
  __device__ inline void load(const T* row, int lane, int columns) {
#pragma unroll
    for (int i = 0; i < Share::packs; i++) {
      const int column = (i * Share::lanes + lane) * Share::width, last = columns - Share::width;
      pack[i] = *(const uint4*)(row + (column < last ? column : last));
    }
  }
  __device__ inline void keep(bool is_row, int lane, int columns) {
#pragma unroll
    for (int i = 0; i < Share::packs; i++) {
      const bool is_kept = is_row && (i * Share::lanes + lane) * Share::width < columns;
      pack[i].x = is_kept ? pack[i].x : 0u, pack[i].y = is_kept ? pack[i].y : 0u;
      pack[i].z = is_kept ? pack[i].z : 0u, pack[i].w = is_kept ? pack[i].w : 0u;
    }
  }
  __device__ inline float operator[](int e) const { return float_of<T>(pack[e / Share::width], e % Share::width); }
  // The column of an element of a lane.
  static __device__ inline int column(int lane, int e) {
    return (e / Share::width * Share::lanes + lane) * Share::width + e % Share::width;
  }
};

// Below every score: beside it one of −∞, a key that is not seen, has the weight 0 without a question.
constexpr float kLeastScore = -3.402823466e38f;

// What keys of before have come to for one query: the largest score, in powers of two, the sum of weights beside it,
// and the weighted values.
template <int N>
struct Running {
  float most, sum, value[N];
  __device__ inline void clear() {
    most = kLeastScore, sum = 0;
#pragma unroll
    for (int e = 0; e < N; e++) value[e] = 0;
  }
};

// The weight of a score beside the largest.
__device__ inline float weight_beside(float score, float most) { return instructions::flushed_exp2(score - most); }

// Rows of a head of keys: query `row % queries` of its head `row / queries`.
struct DecodedRow {
  long long batch, head, query;
  __device__ inline DecodedRow(const Problem& p, long long line, long long row)
      : batch(line / p.key_heads()), head(line % p.key_heads() * p.group + row / p.queries), query(row % p.queries) {}
  __device__ inline long long place(const Problem& p) const { return (batch * p.heads + head) * p.queries + query; }
};

// Writes a query's result, and the logarithm of its sum.
template <class T, class F>
__device__ inline void write_decoded(const Problem& p, const DecodedRow& row, T* out, float* lse, float most, float sum,
                                     F value) {
  T* to = out + p.out.at(row.batch, row.head) + row.query * p.out.token;
  for (int column = threadIdx.x; column < p.value_width; column += blockDim.x)
    to[column] = narrow<T>(sum == 0 ? 0.0f : value(column) / sum);
  if (threadIdx.x == 0)
    lse[row.place(p)] = sum == 0 ? minus_infinity<float>() : (most + log2f(sum)) * 0.6931471805599453f;
}

// Joins what `slots` slots of a block have come to for rows `first_row` and on, and writes it: the results, or where
// there are several parts, for each query and part the weighted values, the largest score and the sum.
template <class T, int slots, int R, int columns>
__device__ inline void write_part(const float (&values)[slots][R][columns], const float (&mosts)[slots][R],
                                  const float (&sums)[slots][R], const Problem& p, T* out, float* lse, float* kept,
                                  long long line, long long first_row, long long part, long long parts) {
  for (int r = 0; r < R && first_row + r < p.group * p.queries; r++) {
    float most = kLeastScore, sum = 0;
    for (int s = 0; s < slots; s++) most = fmaxf(most, mosts[s][r]);
    float factor[slots];
    for (int s = 0; s < slots; s++) {
      factor[s] = weight_beside(mosts[s][r], most);
      sum += factor[s] * sums[s][r];
    }
    const auto value_of = [&](int column) {
      float total = 0;
      for (int s = 0; s < slots; s++) total += factor[s] * values[s][r][column];
      return total;
    };
    const DecodedRow of(p, line, first_row + r);
    if (parts == 1) {
      write_decoded(p, of, out, lse, most, sum, value_of);
      continue;
    }
    float* to = kept + (of.place(p) * parts + part) * (p.value_width + 2);
    for (int column = threadIdx.x; column < p.value_width; column += blockDim.x) to[column] = value_of(column);
    if (threadIdx.x == 0) to[p.value_width] = most, to[p.value_width + 1] = sum;
  }
}

// Rows `R · chunk` and on of a head of keys, over one of `parts` parts of its keys.
template <class T, int bytes, int R>
__device__ void decode_part(const T* q, const T* k, const T* v, T* out, float* lse, float* kept, const Problem& p,
                            long long part_keys, long long parts, long long chunks, long long block) {
  using Share = RowShare<T, bytes>;
  using Part = RowPart<T, bytes>;
  constexpr int E = Share::elements, together = R * E >= 64 ? 2 : 4;
  __shared__ float values[Share::slots][R][Share::columns];
  __shared__ float mosts[Share::slots][R], sums[Share::slots][R];

  const long long chunk = block % chunks, part = block / chunks % parts, line = block / chunks / parts;
  const long long rows = p.group * p.queries, first_row = chunk * R;
  const int lane = threadIdx.x % Share::lanes, slot = threadIdx.x / Share::lanes;
  const float log2e = 1.4426950408889634f, softcap = float(p.softcap);
  const float scale = softcap == 0 ? float(p.scale) * log2e : float(p.scale) / softcap;

  float query[R][E];
#pragma unroll
  for (int r = 0; r < R; r++) {
    const long long row = first_row + r < rows ? first_row + r : rows - 1;
    const DecodedRow of(p, line, row);
    const T* from = q + p.q.at(of.batch, of.head) + of.query * p.q.token;
#pragma unroll
    for (int e = 0; e < E; e++) {
      const int column = Part::column(lane, e);
      query[r][e] = column < p.width ? float(widen<T>(from[column])) * scale : 0.0f;
    }
  }

  Running<E> running[R];
#pragma unroll
  for (int r = 0; r < R; r++) running[r].clear();
  const long long low = p.first_key(0) + part * part_keys, last = p.end_key(0, p.queries);
  const long long end = low + part_keys < last ? low + part_keys : last;
  const long long batch = line / p.key_heads(), key_head = line % p.key_heads();
  const T *keys = k + p.k.at(batch, key_head), *others = v + p.v.at(batch, key_head);
  const int width = int(p.width), value_width = int(p.value_width);
  const bool is_ragged = p.queries > 1, is_narrow = width < Share::columns || value_width < Share::columns;
  // Of each row, with several queries: the keys that it sees.
  long long from[R], to[R];
#pragma unroll
  for (int r = 0; r < R; r++) {
    const long long query = (first_row + r) % p.queries;
    from[r] = p.first_key(query), to[r] = p.end_key(query, 1);
  }

  for (long long base = low; base < end; base += together * Share::slots) {
    Part key[together], value[together];
    const long long own = end - base;
    // Those of this step, of which a slot may have none left: then it reads the last again.
    const auto row_of = [&](int u) {
      const int at = u * Share::slots + slot;
      return base + (at < own ? at : own - 1);
    };
#pragma unroll
    for (int u = 0; u < together; u++) key[u].load(keys + row_of(u) * p.k.token, lane, width);
#pragma unroll
    for (int u = 0; u < together; u++) value[u].load(others + row_of(u) * p.v.token, lane, value_width);
    const bool is_whole = own >= together * Share::slots;
    if (!is_whole || is_narrow) {
#pragma unroll
      for (int u = 0; u < together; u++) {
        const bool is_row = u * Share::slots + slot < own;
        key[u].keep(is_row, lane, width);
        value[u].keep(is_row, lane, value_width);
      }
    }
    float score[together][R];
#pragma unroll
    for (int u = 0; u < together; u++) {
#pragma unroll
      for (int r = 0; r < R; r++) score[u][r] = 0;
#pragma unroll
      for (int e = 0; e < E; e++) {
        const float x = key[u][e];
#pragma unroll
        for (int r = 0; r < R; r++) score[u][r] += query[r][e] * x;
      }
    }
#pragma unroll
    for (int step = Share::lanes / 2; step > 0; step /= 2) {
#pragma unroll
      for (int u = 0; u < together; u++) {
#pragma unroll
        for (int r = 0; r < R; r++) score[u][r] += __shfl_xor_sync(0xffffffffu, score[u][r], step);
      }
    }
    if (softcap != 0) {
#pragma unroll
      for (int u = 0; u < together; u++) {
#pragma unroll
        for (int r = 0; r < R; r++) score[u][r] = softcap * log2e * tanhf(score[u][r]);
      }
    }
    if (!is_whole || is_ragged) {
#pragma unroll
      for (int u = 0; u < together; u++) {
        const int at = u * Share::slots + slot;
#pragma unroll
        for (int r = 0; r < R; r++)
          if (at >= own || (is_ragged && (base + at < from[r] || base + at >= to[r])))
            score[u][r] = minus_infinity<float>();
      }
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      Running<E>& now = running[r];
      float most = now.most;
#pragma unroll
      for (int u = 0; u < together; u++) most = fmaxf(most, score[u][r]);
      const float before = weight_beside(now.most, most);
      now.most = most;
      now.sum *= before;
#pragma unroll
      for (int e = 0; e < E; e++) now.value[e] *= before;
#pragma unroll
      for (int u = 0; u < together; u++) {
        const float weight = weight_beside(score[u][r], most);
        now.sum += weight;
#pragma unroll
        for (int e = 0; e < E; e++) now.value[e] += weight * value[u][e];
      }
    }
  }

#pragma unroll
  for (int r = 0; r < R; r++) {
    if (lane == 0) mosts[slot][r] = running[r].most, sums[slot][r] = running[r].sum;
#pragma unroll
    for (int e = 0; e < E; e++) values[slot][r][Part::column(lane, e)] = running[r].value[e];
  }
  __syncthreads();
  write_part<T, Share::slots, R, Share::columns>(values, mosts, sums, p, out, lse, kept, line, first_row, part, parts);
}

// The most parts that one block joins.
constexpr int kMostParts = 512;

// One query's parts, as decode_part has kept them, in one.
template <class T>
__device__ inline void decode_joined(const float* kept, T* out, float* lse, const Problem& p, int parts,
                                     long long row) {
  __shared__ float factor[kMostParts], shared[2][kDecodingWarps];
  const long long step = p.value_width + 2;
  const float *from = kept + row * parts * step, *ends = from + p.value_width;
  // Of all threads, in the same order every time.
  const auto joined = [&](int which, float own, auto join) {
#pragma unroll
    for (int far = 16; far > 0; far /= 2) own = join(own, __shfl_xor_sync(0xffffffffu, own, far));
    if (threadIdx.x % 32 == 0) shared[which][threadIdx.x / 32] = own;
    __syncthreads();
    own = shared[which][0];
#pragma unroll
    for (int warp = 1; warp < kDecodingWarps; warp++) own = join(own, shared[which][warp]);
    return own;
  };
  float own_most = kLeastScore, own_sum = 0;
  for (int part = threadIdx.x; part < parts; part += kDecodingThreads) {
    factor[part] = ends[part * step];
    own_most = fmaxf(own_most, factor[part]);
  }
  const float most = joined(0, own_most, [](float a, float b) { return fmaxf(a, b); });
  for (int part = threadIdx.x; part < parts; part += kDecodingThreads) {
    factor[part] = weight_beside(factor[part], most);
    own_sum += factor[part] * ends[part * step + 1];
  }
  const float sum = joined(1, own_sum, [](float a, float b) { return a + b; });
  const long long head = row / p.queries;
  const DecodedRow of(p, head / p.group, head % p.group * p.queries + row % p.queries);
  write_decoded(p, of, out, lse, most, sum, [&](int column) {
    float total = 0;
#pragma unroll 8
    for (int part = 0; part < parts; part++) total += factor[part] * from[part * step + column];
    return total;
  });
}

}  // namespace warpcell::attention
