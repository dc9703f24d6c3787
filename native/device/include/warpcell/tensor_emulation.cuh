// What tensor_instructions.cuh's instructions of 16-bit elements compute, by the threads of a block on the CPU. An
// address of shared memory is its distance from what the launch asks for.
#pragma once
#include "numbers.cuh"

namespace warpcell::instructions {

inline unsigned char* asked_memory() { return warpcell_cpu::dynamic_shared; }
inline uint shared_address(const void* place) { return uint((const unsigned char*)place - asked_memory()); }

inline void copy_or_clear(uint to, const void* from, bool is_there) {
  *(uint4*)(asked_memory() + to) = is_there ? *(const uint4*)from : uint4{0, 0, 0, 0};
}
inline void close_copies() {}
template <int left>
inline void await_copies() {}

// What the lanes of a warp show one another: a block's threads take turns on one core.
template <class Shown>
inline Shown* lanes_of_warp() {
  static thread_local Shown all[1024];
  return all + threadIdx.x / 32 * 32;
}

// Calls use(m, r): the address that lane 8m + r names.
template <class F>
inline void with_rows(uint address, F use) {
  uint* addresses = lanes_of_warp<uint>();
  addresses[threadIdx.x % 32] = address;
  __syncwarp();
  use([&](int matrix, int row) { return (const ushort*)(asked_memory() + addresses[8 * matrix + row]); });
  __syncwarp();
}
inline uint joined(ushort first, ushort second) { return first | uint(second) << 16; }
inline void load_matrices(uint (&to)[4], uint address) {
  const int row = threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  with_rows(address, [&](auto row_of) {
    for (int m = 0; m < 4; m++) to[m] = joined(row_of(m, row)[column], row_of(m, row)[column + 1]);
  });
}
inline void load_turned(uint (&to)[4], uint address) {
  const int column = threadIdx.x % 32 / 4, row = threadIdx.x % 4 * 2;
  with_rows(address, [&](auto row_of) {
    for (int m = 0; m < 4; m++) to[m] = joined(row_of(m, row)[column], row_of(m, row + 1)[column]);
  });
}

#ifdef WARPCELL_SIXTEEN_BITS
template <class T>
inline uint pack(float first, float second) {
  const T both[2] = {narrow<T>(first), narrow<T>(second)};
  uint word;
  __builtin_memcpy(&word, both, sizeof(word));
  return word;
}
template <class T>
inline void unpack(uint word, float& first, float& second) {
  T both[2];
  __builtin_memcpy(both, &word, sizeof(word));
  first = widen<T>(both[0]), second = widen<T>(both[1]);
}

// c (16 × 8) += a (16 × 16) · b (16 × 8), of a warp: its first lane computes for all.
template <class T>
inline void multiply(float (&c)[4], const uint (&a)[4], uint b0, uint b1) {
  struct Operands {
    float* c;
    uint a[4], b[2];
  };
  Operands* lanes = lanes_of_warp<Operands>();
  lanes[threadIdx.x % 32] = {c, {a[0], a[1], a[2], a[3]}, {b0, b1}};
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    float left[16][16], right[16][8];
    for (int lane = 0; lane < 32; lane++) {
      const int row = lane / 4, pair = lane % 4 * 2;
      for (int i = 0; i < 4; i++) {
        float* to = &left[row + i % 2 * 8][pair + i / 2 * 8];
        unpack<T>(lanes[lane].a[i], to[0], to[1]);
      }
      for (int i = 0; i < 2; i++) unpack<T>(lanes[lane].b[i], right[pair + i * 8][row], right[pair + i * 8 + 1][row]);
    }
    for (int row = 0; row < 16; row++) {
      float sums[8];
      for (int column = 0; column < 8; column++)
        sums[column] = lanes[row % 8 * 4 + column / 2].c[row / 8 * 2 + column % 2];
      for (int k = 0; k < 16; k++)
        for (int column = 0; column < 8; column++) sums[column] += left[row][k] * right[k][column];
      for (int column = 0; column < 8; column++)
        lanes[row % 8 * 4 + column / 2].c[row / 8 * 2 + column % 2] = sums[column];
    }
  }
  __syncwarp();
}
#endif

}  // namespace warpcell::instructions
