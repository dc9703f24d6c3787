// Attention of few queries over many keys, as decoding.cuh has it, of 16-bit elements on tensor cores (sm_80 and
// newer): keys and values go from memory to registers, and no thread multiplies them.
#pragma once
#include "decoding.cuh"
#include "online_softmax.cuh"

namespace warpcell::attention {

constexpr int kKeysOfWarp = 16;

// Four lanes have a row of keys or values: lane t of them elements 32j + 8t to 32j + 8t + 7.
template <class T, int width>
struct LaneRow {
  static constexpr int kPieces = width / 32;
  uint word[kPieces][4];

  __device__ void load(const T* row, int lane, int columns) {
#pragma unroll
    for (int j = 0; j < kPieces; j++) {
      const int column = j * 32 + lane * 8, last = columns - 8;
      const uint4 piece = *(const uint4*)(row + (column < last ? column : last));
      word[j][0] = piece.x, word[j][1] = piece.y, word[j][2] = piece.z, word[j][3] = piece.w;
    }
  }
  __device__ void keep(bool is_row, int lane, int columns) {
#pragma unroll
    for (int j = 0; j < kPieces; j++)
#pragma unroll
      for (int i = 0; i < 4; i++) word[j][i] = is_row && j * 32 + lane * 8 < columns ? word[j][i] : 0u;
  }
};

// Rows 8 · tiles · chunk and on of a head of keys, over one of `parts` parts of its keys; `width`: that of keys and of
// values, or the next of 64, 128 and 256.
template <class T, int width, int tiles>
__device__ inline void decode_part_mma(const T* q, const T* k, const T* v, T* out, float* lse, float* kept,
                                       const Problem& p, long long part_keys, long long parts, long long chunks,
                                       long long block) {
  constexpr int R = 8 * tiles, kPieces = width / 32;
  using Row = LaneRow<T, width>;
  __shared__ float values[kDecodingWarps][R][width];
  __shared__ float mosts[kDecodingWarps][R], sums[kDecodingWarps][R];

  const long long chunk = block % chunks, part = block / chunks % parts, line = block / chunks / parts;
  const long long rows = p.group * p.queries, first_row = chunk * R;
  const int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, lane = threadIdx.x % 4;
  const int key_width = int(p.width), value_width = int(p.value_width);

  // Queries as the first operand, whose columns go as those of the keys do.
  uint query[kPieces * 2][4];
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const long long row = first_row + half * 8 + group;
    const bool is_row = half < tiles && row < rows;
    const DecodedRow of(p, line, is_row ? row : first_row);
    const T* from = q + p.q.at(of.batch, of.head) + of.query * p.q.token;
#pragma unroll
    for (int at = 0; at < kPieces * 4; at++) {
      const int column = at / 4 * 32 + lane * 8 + at % 4 * 2;
      const bool is_there = is_row && column < key_width;
      const float first = is_there ? widen<T>(from[column]) : 0.0f,
                  second = is_there ? widen<T>(from[column + 1]) : 0.0f;
      query[at / 2][at % 2 * 2 + half] = instructions::pack<T>(first, second);
    }
  }
  // The keys that each of the two rows of a lane sees.
  long long from[tiles], to[tiles];
#pragma unroll
  for (int half = 0; half < tiles; half++) {
    const long long query = (first_row + half * 8 + group) % p.queries;
    from[half] = p.first_key(query), to[half] = p.end_key(query, 1);
  }

  OnlineRow online[tiles];
  float result[tiles][kPieces * 2][4];
#pragma unroll
  for (int half = 0; half < tiles; half++)
#pragma unroll
    for (int at = 0; at < kPieces * 2; at++)
#pragma unroll
      for (int e = 0; e < 4; e++) result[half][at][e] = 0;

  const long long low = p.first_key(0) + part * part_keys, last = p.end_key(0, p.queries);
  const long long end = low + part_keys < last ? low + part_keys : last;
  const T *keys = k + p.k.at(line / p.key_heads(), line % p.key_heads()),
          *others = v + p.v.at(line / p.key_heads(), line % p.key_heads());
  const bool is_ragged = p.queries > 1, is_narrow = key_width < width || value_width < width;
  const float softcap = float(p.softcap), scale = float(p.scale) * (softcap == 0 ? kLog2E : 1 / softcap);

  for (long long base = low + warp * kKeysOfWarp; base < end; base += kDecodingWarps * kKeysOfWarp) {
    const int own = end - base < kKeysOfWarp ? int(end - base) : kKeysOfWarp;
    Row key[2], value[2];
#pragma unroll
    for (int u = 0; u < 2; u++) {
      const int at = u * 8 + group;
      key[u].load(keys + (base + (at < own ? at : own - 1)) * p.k.token, lane, key_width);
    }
#pragma unroll
    for (int u = 0; u < 2; u++) {
      const int at = u * 8 + group;
      value[u].load(others + (base + (at < own ? at : own - 1)) * p.v.token, lane, value_width);
    }
    if (own < kKeysOfWarp || is_narrow) {
#pragma unroll
      for (int u = 0; u < 2; u++) {
        key[u].keep(u * 8 + group < own, lane, key_width);
        value[u].keep(u * 8 + group < own, lane, value_width);
      }
    }
    float score[2][4] = {};
#pragma unroll
    for (int j = 0; j < kPieces; j++)
#pragma unroll
      for (int step = 0; step < 2; step++)
#pragma unroll
        for (int u = 0; u < 2; u++)
          instructions::multiply<T>(score[u], query[j * 2 + step], key[u].word[j][step * 2],
                                    key[u].word[j][step * 2 + 1]);
#pragma unroll
    for (int u = 0; u < 2; u++)
#pragma unroll
      for (int e = 0; e < 2 * tiles; e++) {
        score[u][e] *= scale;
        if (softcap != 0) score[u][e] = softcap * kLog2E * tanhf(score[u][e]);
      }
    if (own < kKeysOfWarp || is_ragged) {
#pragma unroll
      for (int u = 0; u < 2; u++)
#pragma unroll
        for (int e = 0; e < 2 * tiles; e++) {
          const int at = u * 8 + lane * 2 + e % 2;
          if (at >= own || (is_ragged && (base + at < from[e / 2] || base + at >= to[e / 2]))) score[u][e] = unseen();
        }
    }
    uint weights[tiles][2];
#pragma unroll
    for (int half = 0; half < tiles; half++) {
      const float factor =
          online[half].template take<4>([&](int at) -> float& { return score[at / 2][half * 2 + at % 2]; }, 1.0f);
#pragma unroll
      for (int u = 0; u < 2; u++) weights[half][u] = instructions::pack<T>(score[u][half * 2], score[u][half * 2 + 1]);
      if (!__any_sync(0xffffffffu, factor != 1)) continue;
      // Results have queries as columns, two in a lane.
      const float first = __shfl_sync(0xffffffffu, factor, lane * 8),
                  second = __shfl_sync(0xffffffffu, factor, lane * 8 + 4);
#pragma unroll
      for (int at = 0; at < kPieces * 2; at++)
#pragma unroll
        for (int e = 0; e < 4; e++) result[half][at][e] *= e % 2 == 0 ? first : second;
    }
#pragma unroll
    for (int j = 0; j < kPieces; j++)
#pragma unroll
      for (int pair = 0; pair < 2; pair++) {
        uint columns[4];
#pragma unroll
        for (int i = 0; i < 4; i++) columns[i] = instructions::turn_matrix(value[i / 2].word[j][pair * 2 + i % 2]);
#pragma unroll
        for (int half = 0; half < tiles; half++)
          instructions::multiply<T>(result[half][j * 2 + pair], columns, weights[half][0], weights[half][1]);
      }
  }

#pragma unroll
  for (int half = 0; half < tiles; half++) {
    online[half].finish();
    if (lane == 0) {
      mosts[warp][half * 8 + group] = fmaxf(online[half].most, kLeastScore);
      sums[warp][half * 8 + group] = online[half].sum;
    }
#pragma unroll
    for (int at = 0; at < kPieces * 2; at++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        values[warp][half * 8 + lane * 2 + e % 2][at / 2 * 32 + group / 2 * 8 + (at % 2 * 2 + e / 2) * 2 + group % 2] =
            result[half][at][e];
  }
  __syncthreads();
  write_part<T, kDecodingWarps, R, width>(values, mosts, sums, p, out, lse, kept, line, first_row, part, parts);
}

}  // namespace warpcell::attention
