// <cuda_runtime.h> for a cell: all of CUDA's language is there already.
#pragma once
