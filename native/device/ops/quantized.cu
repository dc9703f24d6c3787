// Numbers of 8 and 4 bits with a scale for each group of a row (codes.cuh): made of floats, made floats again, and
// multiplied by few rows of floats without being written as floats anywhere.
#include <warpcell/codes.cuh>
#include <warpcell/math.cuh>

using namespace warpcell;

constexpr int kQuantizeThreads = 128;
constexpr int kExpandThreads = 256;
constexpr int kExpanded = 8;          // elements of a thread
constexpr int kProductWarps = 4;      // of a block
constexpr int kLines = 4;             // rows of codes that a warp multiplies at a time
constexpr int kMostProductRows = 16;  // rows of floats that the product takes
constexpr int kTogetherRows = 4;      // of them at a time
constexpr int kWidestPack = 32;       // codes of 16 bytes, at most
constexpr float kLeastScale = 1.17549435e-38f;

// The scale and zero point of numbers from `low` to `high`, which have 0 among them.
struct Step {
  float scale;
  int zero;
};
template <int bits>
__device__ inline Step step_of(float low, float high, bool has_zero) {
  const int most = has_zero ? kMostCode<bits> : kMiddle<bits> - 1;
  const float size = high >= -low ? high : -low;
  float scale = has_zero ? high / float(most) - low / float(most) : size / float(most);
  // Short of normal numbers a scale would not be exact enough for half a step.
  if (size > 0 && scale < kLeastScale) scale = kLeastScale;
  if (!has_zero || !(scale > 0)) return {scale, kMiddle<bits>};
  const float zero = fn::rint(-low / scale);
  return {scale, int(zero < 0 ? 0.0f : zero > float(most) ? float(most) : zero)};
}
template <int bits>
__device__ inline int code_of(float x, Step step, bool has_zero) {
  const int least = has_zero ? 0 : 1, most = kMostCode<bits>;
  const float code = step.scale > 0 ? fn::rint(x / step.scale) + float(step.zero) : float(step.zero);
  // Also NaN, whose group has a scale that says so.
  if (!(code > float(least))) return least;
  return code < float(most) ? int(code) : most;
}

// x [rows, length] to codes [rows, bytes], scales and, unless they are null, zeros [rows, groups]. A group with a
// number that is not finite is NaN.
template <class T, int bits>
__global__ void __launch_bounds__(kQuantizeThreads)
    quantize(const T* x, uchar* codes, float* scales, uchar* zeros, long long rows, long long length, long long size) {
  const Groups groups{scales, zeros, length, size};
  const long long count = groups.count(), all = rows * count;
#ifdef WARPCELL_SERIAL
  const long long step = gridDim.x, first = blockIdx.x;
  constexpr int lanes = 1, lane = 0;
#else
  const long long step = (long long)gridDim.x * (blockDim.x / 32),
                  first = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lanes = 32, lane = threadIdx.x % 32;
#endif
  const bool has_zero = zeros != nullptr;
  for (long long group = first; group < all; group += step) {
    const long long row = group / count, begin = group % count * size,
                    end = begin + size < length ? begin + size : length;
    const T* in = x + row * length;
    float low = 0, high = 0, broken = 0;
    for (long long k = begin + lane; k < end; k += lanes) {
      const float value = float(widen<T>(in[k]));
      low = value < low ? value : low;
      high = value > high ? value : high;
      broken += value - value;  // NaN of what is not finite
    }
#ifndef WARPCELL_SERIAL
    for (int distance = 16; distance > 0; distance /= 2) {
      const float other_low = __shfl_xor_sync(0xffffffffu, low, distance),
                  other_high = __shfl_xor_sync(0xffffffffu, high, distance);
      broken += __shfl_xor_sync(0xffffffffu, broken, distance);
      low = other_low < low ? other_low : low;
      high = other_high > high ? other_high : high;
    }
#endif
    Step made = step_of<bits>(low, high, has_zero);
    if (broken != broken) made = {broken, made.zero};
    if (lane == 0) {
      scales[group] = made.scale;
      if (has_zero) zeros[group] = uchar(made.zero);
    }
    uchar* out = codes + row * row_bytes<bits>(length);
    if constexpr (bits == 8) {
      const int turned = has_zero ? 0 : 0x80;
      for (long long k = begin + lane; k < end; k += lanes)
        out[k] = uchar(code_of<bits>(float(widen<T>(in[k])), made, has_zero) ^ turned);
    } else {
      for (long long k = begin + 2 * lane; k < end; k += 2 * lanes) {
        const int one = code_of<bits>(float(widen<T>(in[k])), made, has_zero);
        const int two = k + 1 < end ? code_of<bits>(float(widen<T>(in[k + 1])), made, has_zero) : 0;
        out[k / 2] = uchar(one | two << 4);
      }
    }
  }
}

#ifdef WARPCELL_SERIAL
// The floats of codes `begin` to `end` of one group, of which of two in a byte the first begins.
template <int bits>
inline void group_floats(const uchar* in, long long begin, long long end, bool is_signed, int zero, float scale,
                         float* to) {
  if constexpr (bits == 8) {
    const int turned = is_signed ? 0x80 : 0;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < end - begin; i++) to[i] = float((in[begin + i] ^ turned) - zero) * scale;
  } else {
    const uchar* bytes = in + begin / 2;
    const long long pairs = (end - begin) / 2;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < pairs; i++) {
      to[2 * i] = float((bytes[i] & 15) - zero) * scale;
      to[2 * i + 1] = float((bytes[i] >> 4) - zero) * scale;
    }
    if ((end - begin) % 2 != 0) to[2 * pairs] = float((bytes[pairs] & 15) - zero) * scale;
  }
}
#endif

// The floats that codes stand for, [rows, length].
template <class T, int bits>
__global__ void __launch_bounds__(kExpandThreads)
    dequantize(const uchar* codes, const float* scales, const uchar* zeros, T* out, long long rows, long long length,
               long long size) {
  const Groups groups{scales, zeros, length, size};
  const long long count = groups.count();
  const bool is_signed = zeros == nullptr;
#ifdef WARPCELL_SERIAL
  constexpr int kStretch = 256;
  const long long share = (rows + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < rows ? begin + share : rows;
  for (long long row = begin; row < end; row++) {
    const uchar* in = codes + row * row_bytes<bits>(length);
    T* to = out + row * length;
    for (long long group = 0; group < count; group++) {
      const float scale = scales[row * count + group];
      const int zero = groups.template zero<bits>(row * count + group);
      const long long first = group * size, last = first + size < length ? first + size : length;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
      for (long long k = first; k < last; k++) to[k] = narrow<T>(float(code_at<bits>(in, k, is_signed) - zero) * scale);
    }
  }
#else
  const long long packs = (length + kExpanded - 1) / kExpanded, all = rows * packs;
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= all) return;
  const long long row = at / packs, first = at % packs * kExpanded;
  const uchar* in = codes + row * row_bytes<bits>(length);
  struct alignas(16) Several {
    T element[kExpanded];
  } results;
  // One division where all are of one group, as of the usual sizes.
  long long group = row * count + first / size, next = (first / size + 1) * size;
  float scale = scales[group];
  int zero = groups.template zero<bits>(group);
#pragma unroll
  for (int e = 0; e < kExpanded; e++) {
    const long long k = first + e < length ? first + e : length - 1;
    if (k == next) {
      group++;
      next += size;
      scale = scales[group];
      zero = groups.template zero<bits>(group);
    }
    results.element[e] = narrow<T>(float(code_at<bits>(in, k, is_signed) - zero) * scale);
  }
  T* to = out + row * length + first;
  if (length % kExpanded == 0) {
    *(Several*)to = results;
    return;
  }
#pragma unroll
  for (int e = 0; e < kExpanded; e++)
    if (first + e < length) to[e] = results.element[e];
#endif
}

#ifdef WARPCELL_SERIAL
// out [rows, lines] = x [rows, length] · codes [lines, length]ᵀ of this block's lines: a line's floats are made once,
// a stretch at a time, and multiplied by all rows.
template <class T, int bits>
inline void serial_product(const T* x, const uchar* codes, const Groups& groups, T* out, long long rows,
                           long long lines) {
  constexpr int kStretch = 1024, kBeside = 32;
  const long long length = groups.length, count = groups.count();
  const bool is_signed = groups.zeros == nullptr;
  const long long share = (lines + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < lines ? begin + share : lines;
  for (long long line = begin; line < end; line++) {
    const uchar* in = codes + line * row_bytes<bits>(length);
    float sums[kMostProductRows][kBeside] = {};
    for (long long first = 0; first < length; first += kStretch) {
      const long long last = first + kStretch < length ? first + kStretch : length;
      alignas(64) float weights[kStretch];
      for (long long k = first; k < last;) {
        const long long group = k / groups.size,
                        stop = (group + 1) * groups.size < last ? (group + 1) * groups.size : last;
        const float scale = groups.scales[line * count + group];
        const int zero = groups.template zero<bits>(line * count + group);
        group_floats<bits>(in, k, stop, is_signed, zero, scale, weights + (k - first));
        k = stop;
      }
      const long long there = last - first, whole = there / kBeside * kBeside;
      for (long long row = 0; row < rows; row++) {
        const T* from = x + row * length + first;
        float into[kBeside];  // in registers
        for (int j = 0; j < kBeside; j++) into[j] = sums[row][j];
        for (long long i = 0; i < whole; i += kBeside) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
          for (int j = 0; j < kBeside; j++) into[j] += widen<T>(from[i + j]) * weights[i + j];
        }
        for (int j = 0; j < kBeside; j++) sums[row][j] = into[j];
        for (long long i = whole; i < there; i++) sums[row][i - whole] += widen<T>(from[i]) * weights[i];
      }
    }
    for (long long row = 0; row < rows; row++) {
      float sum = 0;
      for (int j = 0; j < kBeside; j++) sum += sums[row][j];
      out[row * lines + line] = narrow<T>(sum);
    }
  }
}
#else
__device__ inline float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

constexpr int kCodesOfStep = 8;

template <class T>
__device__ inline void load_floats(const T* from, float (&to)[kCodesOfStep]) {
  struct alignas(16) Several {
    T element[kCodesOfStep];
  };
  const Several found = *(const Several*)from;
#pragma unroll
  for (int e = 0; e < kCodesOfStep; e++) to[e] = widen<T>(found.element[e]);
}

// Eight codes as floats without a conversion, which a GPU has a quarter as many units for or fewer. Four bits become
// the first of a mantissa: 1 + code / 16; of bytes 2²³ and the zero point are taken off, which is exact.
template <int bits>
__device__ inline void code_floats(const uint (&words)[2], uint turned, float zero, float (&to)[kCodesOfStep]) {
  if constexpr (bits == 4) {
    const uint word = words[0];
#pragma unroll
    for (int e = 0; e < kCodesOfStep; e++) {
      const int shift = 19 - 4 * e;
      to[e] = bits_float(((shift >= 0 ? word << shift : word >> -shift) & 0x780000u) | 0x3f800000u);
    }
  } else {
#pragma unroll
    for (int e = 0; e < kCodesOfStep; e++)
      to[e] = bits_float(__byte_perm(words[e / 4] ^ turned, 0x4b000000u, 0x7540u + e % 4)) - zero;
  }
}
#endif

// out [rows, lines] = x [rows, length] · codes [lines, length]ᵀ. A warp has kLines lines and R rows of x, its lanes
// packs of 16 bytes of codes, which lie in one group each: groups of 2^`group_shift` packs.
template <class T, int bits, int R>
__global__ void __launch_bounds__(kProductWarps * 32)
    product(const T* x, const uchar* codes, const float* scales, const uchar* zeros, T* out, long long rows,
            long long lines, long long length, long long size, int group_shift) {
#ifdef WARPCELL_SERIAL
  serial_product<T, bits>(x, codes, {scales, zeros, length, size}, out, rows, lines);
#else
  constexpr int codes_of_pack = 128 / bits, steps = codes_of_pack / kCodesOfStep;
  const long long tiles = (lines + kLines * kProductWarps - 1) / (kLines * kProductWarps);
  const long long line0 = (blockIdx.x % tiles * kProductWarps + threadIdx.x / 32) * kLines,
                  row0 = blockIdx.x / tiles * R;
  if (line0 >= lines) return;
  const int lane = threadIdx.x % 32, packs = int(length / codes_of_pack);
  const long long count = (length + size - 1) / size;
  const uint turned = zeros == nullptr ? 0x80808080u : 0;

  // Past the last line and row are the last ones again, of which nothing is kept.
  const uint4* line_codes[kLines];
  long long line_groups[kLines];
#pragma unroll
  for (int i = 0; i < kLines; i++) {
    const long long line = line0 + i < lines ? line0 + i : lines - 1;
    line_codes[i] = (const uint4*)(codes + line * row_bytes<bits>(length));
    line_groups[i] = line * count;
  }
  const T* row_x[R];
#pragma unroll
  for (int r = 0; r < R; r++) row_x[r] = x + (row0 + r < rows ? row0 + r : rows - 1) * length;

  float sums[kLines][R] = {};
  uint4 next[kLines];
#pragma unroll
  for (int i = 0; i < kLines; i++)
    if (lane < packs) next[i] = __ldcs(line_codes[i] + lane);
  for (int at = lane; at < packs; at += 32) {
    uint words[kLines][4];
    float scale[kLines], zero[kLines];
#pragma unroll
    for (int i = 0; i < kLines; i++) {
      words[i][0] = next[i].x, words[i][1] = next[i].y, words[i][2] = next[i].z, words[i][3] = next[i].w;
      const long long group = line_groups[i] + (at >> group_shift);
      scale[i] = scales[group];
      zero[i] = zeros == nullptr ? float(kMiddle<bits>) : float(zeros[group]);
      if constexpr (bits == 8) zero[i] += 8388608.0f;
      if (at + 32 < packs) next[i] = __ldcs(line_codes[i] + at + 32);
    }
    float part[kLines][R] = {}, all[R] = {};
#pragma unroll
    for (int step = 0; step < steps; step++) {
      float values[R][kCodesOfStep];
#pragma unroll
      for (int r = 0; r < R; r++) {
        load_floats(row_x[r] + at * codes_of_pack + step * kCodesOfStep, values[r]);
        if constexpr (bits == 4) {
#pragma unroll
          for (int e = 0; e < kCodesOfStep; e++) all[r] += values[r][e];
        }
      }
#pragma unroll
      for (int i = 0; i < kLines; i++) {
        const uint two[2] = {words[i][step * bits / 4], words[i][(step * bits / 4 + 1) % 4]};
        float weights[kCodesOfStep];
        code_floats<bits>(two, turned, zero[i], weights);
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
          for (int e = 0; e < kCodesOfStep; e++) part[i][r] += values[r][e] * weights[e];
      }
    }
#pragma unroll
    for (int i = 0; i < kLines; i++)
#pragma unroll
      for (int r = 0; r < R; r++) {
        // Of four bits each factor is 1 + code / 16, and is to be code − zero.
        const float whole = bits == 4 ? 16 * part[i][r] - (16 + zero[i]) * all[r] : part[i][r];
        sums[i][r] += scale[i] * whole;
      }
  }
#pragma unroll
  for (int i = 0; i < kLines; i++)
#pragma unroll
    for (int r = 0; r < R; r++) {
      const float sum = warp_sum(sums[i][r]);
      if (lane == 0 && line0 + i < lines && row0 + r < rows) out[(row0 + r) * lines + line0 + i] = narrow<T>(sum);
    }
#endif
}

// The same of groups of any size and rows that begin anywhere: a warp has one line and one row.
template <class T, int bits>
__global__ void __launch_bounds__(kProductWarps * 32)
    any_product(const T* x, const uchar* codes, const float* scales, const uchar* zeros, T* out, long long rows,
                long long lines, long long length, long long size) {
#ifdef WARPCELL_SERIAL
  serial_product<T, bits>(x, codes, {scales, zeros, length, size}, out, rows, lines);
#else
  const Groups groups{scales, zeros, length, size};
  const long long pair = (long long)blockIdx.x * kProductWarps + threadIdx.x / 32, count = groups.count();
  if (pair >= rows * lines) return;
  const int lane = threadIdx.x % 32;
  const long long line = pair % lines, row = pair / lines;
  const uchar* in = codes + line * row_bytes<bits>(length);
  const T* from = x + row * length;
  float sum = 0;
  for (long long k = lane; k < length; k += 32) {
    const long long group = line * count + k / size;
    const int code = code_at<bits>(in, k, zeros == nullptr) - groups.template zero<bits>(group);
    sum += widen<T>(from[k]) * (float(code) * scales[group]);
  }
  sum = warp_sum(sum);
  if (lane == 0) out[row * lines + line] = narrow<T>(sum);
#endif
}
