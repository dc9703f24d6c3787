// What the engine and split kernels agree on.
#pragma once

namespace warpcell_cpu {

// Threads in a row of a grid beyond which no split kernel runs, so that a compiler may take for granted that the number of one in its row,
// and of those in a block behind it, is an int.
constexpr unsigned kSplitThreads = 0x7fffffff - 1024;

}  // namespace warpcell_cpu
