// <cuda_runtime_api.h> for the host code of a program: all of it is there with <cuda_runtime.h>.
#pragma once
#include "cuda_runtime.h"
