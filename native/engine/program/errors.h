// CUDA's errors by number: their names and what they mean in words.
#pragma once
#include <cstddef>
#include <string>

#include "../../device/program/warpcell_program/types.h"
#include "report.h"

namespace warpcell {

// As cudaGetErrorName and cudaGetErrorString answer.
const char* error_name(cudaError_t error);
const char* error_words(cudaError_t error);

// Calls that failed, as a list of JSON.
std::string failures_json(const ProgramFailure* failures, size_t count);

}  // namespace warpcell
