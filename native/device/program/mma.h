// <mma.h> for the host code of a program: the types of its numbers, and names.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {}
}  // namespace nvcuda
