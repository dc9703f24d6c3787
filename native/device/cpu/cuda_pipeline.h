// <cuda_pipeline.h> for a cell: cuda::pipeline and its primitives.
#pragma once
#include "cuda_pipeline_primitives.h"
#include "warpcell_cpu/stages.h"
