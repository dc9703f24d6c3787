// <cooperative_groups.h> for the host code of a program, which knows groups by name alone: device functions that take
// them are declared here, and nothing more.
#pragma once

namespace cooperative_groups {
class thread_group;
class thread_block;
class grid_group;
class coalesced_group;
template <unsigned Size, class Parent = void>
class thread_block_tile;
}  // namespace cooperative_groups
