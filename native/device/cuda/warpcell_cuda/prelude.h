// What every cell finds without an include, on a GPU as on the CPU: what nvcc brings in with the host's headers. NVRTC
// reads it first.
#pragma once
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
