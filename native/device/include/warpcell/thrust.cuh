// What device code has of Thrust and CUB's algorithms for the whole device: types that kernels may be given, and the
// kernel that the algorithms launch. Those themselves belong to host code (device/program/warpcell_program/thrust).
#pragma once
#include "thrust/ordering.cuh"
#include "thrust/random.cuh"

namespace cub {}
