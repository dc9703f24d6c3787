// The blocks of attention of 16-bit elements by warp groups (ops/attention_wgmma.cu), also with a function of the
// user's.
#pragma once

constexpr int kSlotBytes = 16;  // of the barriers of a slot

// Each group has 64 queries. A thread's registers hold its part of the result, of a tile's scores and of its powers.
template <int width>
struct ForwardShape {
  static constexpr int kGroups = 2, kQueries = 64 * kGroups, kKeys = width > 128 ? 64 : 128;
  static constexpr int kThreads = 128 * (kGroups + 1), kSlots = 2;
  static constexpr int kRegisters = 232, kFillerRegisters = 40;
  static constexpr int kTiles = (kQueries + 2 * kSlots * kKeys) * width * 2;
  static constexpr int kShared = kTiles + (1 + 2 * kSlots) * kSlotBytes;
};

// A block keeps two tiles and has the others pass: keys and values, past all queries that see them; or queries and
// gradients of results, past all keys that they see. Each group has 64 rows of what is kept, or, where its registers do
// not hold a row, a part of the columns of all.
// A function of the user's takes registers, too: fewer pass at a time.
template <int width, bool is_of_keys, bool is_bent = false>
struct GradientShape {
  static constexpr int kGroups = 2, kThreads = 128 * (kGroups + 1), kRegisters = 240, kFillerRegisters = 24;
  static constexpr bool kSharesRows = is_of_keys && width > 128;
  static constexpr int kKept = kSharesRows ? 64 : 128, kPart = kSharesRows ? width / 2 : width, kParts = 1;
  // Whether registers are left for gradients of values while those of scores are worked out.
  static constexpr bool kOverlaps = width > 64;
  // As many as registers and memory hold: more slots are worth more than larger tiles.
  static constexpr int kMost = is_bent ? 64 : 128;
  static constexpr int kPassing = width <= 64    ? kMost
                                  : width <= 128 ? (is_of_keys ? 64 : kMost)
                                                 : (is_of_keys ? 64 : 48);
  static constexpr int kSlots = width <= 64 || (width <= 128 && kPassing == 64) ? 3 : 2;
  static constexpr int kPassingBytes = 2 * kPassing * width * 2;
  static constexpr int kTiles = 2 * kKept * width * 2 + kSlots * kPassingBytes;
  static constexpr int kRowValues = is_of_keys ? kSlots * kPassing * 8 : 0;
  static constexpr int kShared = kTiles + kRowValues + (1 + kSlots) * kSlotBytes;
};
