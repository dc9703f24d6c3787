// Takes __device__ and __host__ from lambdas: NVRTC refuses them there and has no option that allows them, as nvcc's
// --extended-lambda does.
#pragma once
#include <string>

namespace warpcell::cuda {

// The same text with blanks in their places: all of it is device code, so they say nothing.
std::string plain_lambdas(const std::string& source);

}  // namespace warpcell::cuda
