// What a cell finds without including it: what the library's own kernels have (which are compiled again when that
// changes), and what only cells use.
#pragma once
#pragma GCC system_header
#include_next <warpcell_cpu/cuda.h>
#include <warpcell_cpu/added_functions.h>
#include <warpcell_cpu/packed_integers.h>
#include <warpcell_cpu/textures.h>
#if defined(WARPCELL_CPU_PTX)  // the cell has asm statements
#include <warpcell_cpu/ptx.h>
#endif
