// <cooperative_groups.h> for a cell: blocks, tiles of a warp, lanes that are active together, clusters and the whole grid as groups of threads.
// (Programming Guide, "Cooperative Groups".)
#pragma once
#include "warpcell_cpu/lane_groups.h"
