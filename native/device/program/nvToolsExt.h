// <nvToolsExt.h>, as it was called before CUDA 12.
#pragma once
#include "nvtx3/nvToolsExt.h"
