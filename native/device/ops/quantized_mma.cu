// Products of few rows of 16-bit floats with quantised matrices on tensor cores (sm_80 and newer): codes become 16-bit
// integers in registers, which are exact, and sums are floats.
#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_CPU)
#include <warpcell/codes.cuh>
#include <warpcell/tensor_instructions.cuh>
#endif

constexpr int kMmaWarps = 8;   // of a block: they share the lines and take turns along them
constexpr int kMmaLines = 16;  // lines of codes of a tile
constexpr int kMmaRows = 8;    // rows of x of a tile
// Codes of a line that a warp takes at a time, 16 bytes for each of four lanes: a group has a whole number of them.
template <int bits>
constexpr int kMmaCodes = 4 * 128 / bits;

#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_CPU)
using namespace warpcell;

template <class T>
struct PairOf;
template <>
struct PairOf<__half> {
  using type = __half2;
  // 1024, and with a code of up to 10 bits in its mantissa that much more.
  static constexpr uint kBase = 0x64006400u;
  static constexpr float kBaseValue = 1024;
};
template <>
struct PairOf<__nv_bfloat16> {
  using type = __nv_bfloat162;
  // 128, and codes of up to 7 bits.
  static constexpr uint kBase = 0x43004300u;
  static constexpr float kBaseValue = 128;
};

template <class T>
__device__ inline uint less(uint pair, uint by) {
  using Pair = typename PairOf<T>::type;
  const Pair result = __hsub2(*(const Pair*)&pair, *(const Pair*)&by);
  return *(const uint*)&result;
}

// Of 4 bits: codes 2h and 2h + 4 of the eight of a word, then 2h + 1 and 2h + 5, less their zero point.
template <class T>
__device__ inline void pairs_of(uint word, int h, uint zero, uint& first, uint& second) {
  constexpr uint kMask = 0x000f000fu, kBase = PairOf<T>::kBase;
  first = less<T>((word >> (8 * h) & kMask) | kBase, zero);
  second = less<T>((word >> (8 * h + 4) & kMask) | kBase, zero);
}
// Of 8 bits: codes 0 and 1 of the four of a word, then 2 and 3.
template <class T>
__device__ inline void pairs_of(uint word, uint zero, float float_zero, uint& first, uint& second) {
  if constexpr (same<T, __half>) {
    first = less<T>(__byte_perm(word, PairOf<T>::kBase, 0x7170), zero);
    second = less<T>(__byte_perm(word, PairOf<T>::kBase, 0x7372), zero);
  } else {
    float values[4];
#pragma unroll
    for (int e = 0; e < 4; e++) values[e] = bits_float(__byte_perm(word, 0x4b000000u, 0x7540u + e)) - float_zero;
    first = instructions::pack<T>(values[0], values[1]);
    second = instructions::pack<T>(values[2], values[3]);
  }
}

// out [rows, lines] = x [rows, length] · codes [lines, length]ᵀ. A block has L tiles of lines and all rows of x, which
// are R tiles at most. Its warps take turns along the lines, kMmaCodes at a time, which lie in G groups. Lane 4g + t
// has lines g and g + 8 of a tile, and row g of one of x; of both, quarter t of each group. Which of them the tensor
// cores multiply with each other is the same in both, so their order is that of the bytes.
template <class T, int bits, int L, int R, int G>
__global__ void __launch_bounds__(kMmaWarps * 32, 2)
    tile_product(const T* x, const uchar* codes, const float* scales, const uchar* zeros, T* out, long long rows,
                 long long lines, long long length, long long size) {
  // Words of 4 bytes: of a lane, of these in one group, and of a turn.
  constexpr int kWords = 4, kOfGroup = kWords / G, kOfTurn = 4 * kWords;
  constexpr int kSteps = bits == 4 ? 2 : 1;  // products of a word
  constexpr int kDepth = R == 1 ? 2 : 1;     // turns that codes are brought ahead, as far as registers go
  __shared__ float parts[kMmaWarps][R * kMmaRows][L * kMmaLines];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const long long line0 = (long long)blockIdx.x * (L * kMmaLines);
  const int chunks = int(length / kMmaCodes<bits>);
  const int parts_of_group = size >= length ? chunks * G : int(size / (kMmaCodes<bits> / G));
  const long long count = (length + size - 1) / size;
  const uint turned = bits == 8 && zeros == nullptr ? 0x80808080u : 0;
  auto place = [=](int word) { return word / kOfGroup * (kOfTurn / G) + t * kOfGroup + word % kOfGroup; };

  // Past the last line and row are the last ones again, of which nothing is kept.
  const uint* from[L][2];
  long long groups[L][2];
#pragma unroll
  for (int l = 0; l < L; l++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const long long line = line0 + l * kMmaLines + half * 8 + g, there = line < lines ? line : lines - 1;
      from[l][half] = (const uint*)(codes + there * row_bytes<bits>(length));
      groups[l][half] = there * count;
    }
  const T* from_x[R];
#pragma unroll
  for (int r = 0; r < R; r++) {
    const long long row = r * kMmaRows + g;
    from_x[r] = x + (row < rows ? row : rows - 1) * length;
  }

  float sums[L][R][4] = {};
  // What the next turns need is on its way while this one computes: codes and scales come from memory.
  uint4 next[kDepth][L][2];
  float next_scale[kDepth][L][2][G], next_zero[kDepth][L][2][G];
  auto bring = [&](int which, int chunk) {
#pragma unroll
    for (int l = 0; l < L; l++)
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const uint* codes_at = from[l][half] + chunk * kOfTurn;
        if constexpr (G == 1)
          next[which][l][half] = __ldcs((const uint4*)codes_at + t);
        else
          next[which][l][half] = {__ldcs(codes_at + place(0)), __ldcs(codes_at + place(1)), __ldcs(codes_at + place(2)),
                                  __ldcs(codes_at + place(3))};
      }
#pragma unroll
    for (int j = 0; j < G; j++) {
      const int part = chunk * G + j, group = parts_of_group == 1 ? part : part / parts_of_group;
#pragma unroll
      for (int l = 0; l < L; l++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const long long at = groups[l][half] + group;
          next_scale[which][l][half][j] = scales[at];
          next_zero[which][l][half][j] = zeros == nullptr ? float(kMiddle<bits>) : float(zeros[at]);
        }
    }
  };
#pragma unroll
  for (int d = 0; d < kDepth; d++)
    if (warp + d * kMmaWarps < chunks) bring(d, warp + d * kMmaWarps);
  for (int first = warp; first < chunks; first += kDepth * kMmaWarps) {
#pragma unroll
    for (int d = 0; d < kDepth; d++) {
      const int chunk = first + d * kMmaWarps;
      if (chunk >= chunks) break;
      uint words[L][2][kWords];
      float scale[L][2][G], zero[L][2][G];
#pragma unroll
      for (int l = 0; l < L; l++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
          const uint4 found = next[d][l][half];
          words[l][half][0] = found.x, words[l][half][1] = found.y;
          words[l][half][2] = found.z, words[l][half][3] = found.w;
#pragma unroll
          for (int j = 0; j < G; j++) {
            scale[l][half][j] = next_scale[d][l][half][j];
            zero[l][half][j] = next_zero[d][l][half][j];
          }
        }
      if (chunk + kDepth * kMmaWarps < chunks) bring(d, chunk + kDepth * kMmaWarps);
      uint rights[R][kWords][2 * kSteps];
#pragma unroll
      for (int r = 0; r < R; r++) {
#pragma unroll
        for (int w = 0; w < kWords; w++) {
          if constexpr (bits == 4) {
            // Elements i and i + 4, as codes of half a byte come in pairs.
            const uint4 found = ((const uint4*)from_x[r])[chunk * kOfTurn + place(w)];
            rights[r][w][0] = __byte_perm(found.x, found.z, 0x5410);
            rights[r][w][1] = __byte_perm(found.x, found.z, 0x7632);
            rights[r][w][2] = __byte_perm(found.y, found.w, 0x5410);
            rights[r][w][3] = __byte_perm(found.y, found.w, 0x7632);
          } else {
            const uint2 found = ((const uint2*)from_x[r])[chunk * kOfTurn + place(w)];
            rights[r][w][0] = found.x, rights[r][w][1] = found.y;
          }
        }
      }
#pragma unroll
      for (int l = 0; l < L; l++) {
#pragma unroll
        for (int j = 0; j < G; j++) {
          float part[R][4] = {};
          uint pair_zero[2];
#pragma unroll
          for (int half = 0; half < 2; half++) {
            const float base = PairOf<T>::kBaseValue + zero[l][half][j];
            pair_zero[half] = instructions::pack<T>(base, base);
          }
#pragma unroll
          for (int w = j * kOfGroup; w < (j + 1) * kOfGroup; w++)
#pragma unroll
            for (int h = 0; h < kSteps; h++) {
              uint left[4];
#pragma unroll
              for (int half = 0; half < 2; half++) {
                if constexpr (bits == 4)
                  pairs_of<T>(words[l][half][w], h, pair_zero[half], left[half], left[2 + half]);
                else
                  pairs_of<T>(words[l][half][w] ^ turned, pair_zero[half], 8388608.0f + zero[l][half][j], left[half],
                              left[2 + half]);
              }
#pragma unroll
              for (int r = 0; r < R; r++)
                instructions::multiply<T>(part[r], left, rights[r][w][2 * h], rights[r][w][2 * h + 1]);
            }
#pragma unroll
          for (int r = 0; r < R; r++)
#pragma unroll
            for (int e = 0; e < 4; e++) sums[l][r][e] += scale[l][e / 2][j] * part[r][e];
        }
      }
    }
  }

  // Lane 4g + t has lines g and g + 8 of rows 2t and 2t + 1.
#pragma unroll
  for (int l = 0; l < L; l++)
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int e = 0; e < 4; e++)
        parts[warp][r * kMmaRows + 2 * t + e % 2][l * kMmaLines + e / 2 * 8 + g] = sums[l][r][e];
  __syncthreads();
  for (int item = threadIdx.x; item < R * kMmaRows * L * kMmaLines; item += kMmaWarps * 32) {
    const int row = item / (L * kMmaLines), line = item % (L * kMmaLines);
    if (row >= rows || line0 + line >= lines) continue;
    float sum = 0;
#pragma unroll
    for (int w = 0; w < kMmaWarps; w++) sum += parts[w][row][line];
    out[row * lines + line0 + line] = narrow<T>(sum);
  }
}
#endif
