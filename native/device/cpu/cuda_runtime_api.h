// <cuda_runtime_api.h> for a cell: all of CUDA's language is there already.
#pragma once
