// <cooperative_groups.h> for a cell: blocks, tiles of a warp and the whole grid as groups of threads that wait for each other.
// (Programming Guide, "Cooperative Groups".)
#pragma once
#include "warpcell_cpu/groups.h"
