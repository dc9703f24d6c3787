// CUDA's errors by number: their names and what they mean in words.
#pragma once
#include "../../device/program/warpcell_program/types.h"

namespace warpcell {

// As cudaGetErrorName and cudaGetErrorString answer.
const char* error_name(cudaError_t error);
const char* error_words(cudaError_t error);

}  // namespace warpcell
