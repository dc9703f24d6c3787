// The blocks of attention of 16-bit elements by warps (ops/attention_mma.cu), also with a function of the user's.
#pragma once

// The rows that a warp holds are what each element of the other operand is read once for from shared memory.
template <int width>
struct ForwardShape {
  static constexpr int kWidth = width;
  static constexpr int kFragments = width > 128 ? 1 : 2, kWarps = width > 128 ? 8 : 4;
  static constexpr int kQueries = 16 * kFragments * kWarps, kKeys = width > 128 ? 32 : 64;
  static constexpr int kThreads = 32 * kWarps, kShared = (kQueries + 2 * kKeys) * width * 2;
};

// A block keeps two tiles and goes over the others: keys and values past all queries that see them, or queries and
// gradients of results past all keys that they see.
template <int width, bool is_of_keys>
struct GradientShape {
  static constexpr int kWidth = width;
  static constexpr bool kIsOfKeys = is_of_keys;
  static constexpr int kWarps = 4, kThreads = 32 * kWarps, kKept = 16 * kWarps;
  static constexpr int kPassing = width > 128 ? 32 : 64, kStages = width > 128 ? 1 : 2;
  static constexpr int kTiles = (2 * kKept + 2 * kStages * kPassing) * width * 2;
  static constexpr int kShared = kTiles + kStages * kPassing * 8;
  // Columns of gradients of keys and of values that a block makes: both are in registers.
  static constexpr int kPart = is_of_keys && width > 128 ? 128 : width, kParts = width / kPart;
};
