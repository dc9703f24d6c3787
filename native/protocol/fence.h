// A fence for two of which one publishes all the time and the other sleeps now and then: the one that goes to sleep has the system run it for both.
#pragma once
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace warpcell {

// Lets other processes run fences in this one. False where the system does not know that: then it has to fence itself.
inline bool accept_fences() { return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0; }

// A full fence here, and in the midst of whatever runs of the processes that accept them. False when it could not be had.
inline bool fence_everywhere() { return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0; }

}  // namespace warpcell
