// CUDA C++ for a host compiler: everything that a cell may use without including it. The cell's own text follows.
#pragma once
#include "language.h"
#include "vectors.h"
#include "indices.h"
#include "barriers.h"
#include "warps.h"
#include "atomics.h"
#include "constants.h"
#include "elementary.h"
#include "integers.h"
#include "output.h"
#include "export.h"
