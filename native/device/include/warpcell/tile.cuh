// Neighbouring elements in the shared memory of a block, on a GPU: brought and taken away in packs of 16 bytes,
// wherever they start.
#pragma once
#include "instructions.cuh"
#include "map.cuh"

namespace warpcell {

// Elements of a tile, and what is brought with them: whole packs at both ends.
constexpr int kTileBytes = 16384, kTileMemory = kTileBytes + 32;

#ifndef WARPCELL_SERIAL
// How many of `rows` a block brings at a time: as many of `row_bytes` as there is room for, or fewer, so that all
// blocks have as many.
__device__ inline int rows_of_tile(long long rows, int row_bytes, int room) {
  const long long even = (rows + gridDim.x - 1) / gridDim.x;
  return even < room / row_bytes ? int(even) : room / row_bytes;
}

__device__ inline int thread_of_block() { return int(threadIdx.x + blockDim.x * threadIdx.y); }
__device__ inline int threads_of_block() { return int(blockDim.x * blockDim.y); }
__device__ inline int past_pack(const void* place) { return int((unsigned long long)place % kPackBytes); }

// `count` neighbours from `in` on, on their way to `memory`, which begins at a pack; `arrived` waits for them. Memory
// is handed out in whole packs, so that what lies beside them may be read too.
template <class T>
__device__ inline T* bring(char* memory, const T* in, int count) {
  const int shift = past_pack(in), bytes = shift + count * int(sizeof(T));
  const char* from = (const char*)in - shift;
  for (int at = thread_of_block() * kPackBytes; at < bytes; at += threads_of_block() * kPackBytes)
    instructions::copy_to_shared(memory + at, from + at);
  return (T*)(memory + shift);
}
__device__ inline void arrived() {
  instructions::copies_arrived();
  __syncthreads();
}

// The first `count` of `tile` to `out`, once all threads have written theirs.
template <class T>
__device__ inline void take_away(T* out, const T* tile, int count) {
  __syncthreads();
  constexpr int W = kPackBytes / sizeof(T);
  int head = count, packs = 0;
  if (past_pack(out) == past_pack(tile)) {
    head = (kPackBytes - past_pack(out)) % kPackBytes / int(sizeof(T));
    if (head > count) head = count;
    packs = (count - head) / W;
  }
  for (int i = thread_of_block(); i < head; i += threads_of_block()) out[i] = tile[i];
  for (int i = thread_of_block(); i < packs; i += threads_of_block())
    ((uint4*)(out + head))[i] = ((const uint4*)(tile + head))[i];
  for (int i = head + packs * W + thread_of_block(); i < count; i += threads_of_block()) out[i] = tile[i];
}
#endif

}  // namespace warpcell
