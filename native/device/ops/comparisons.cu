// Comparisons, logic and bits of two operands: the kernels of elementwise.cuh.
#include <warpcell/functors/comparisons.cuh>
#include <warpcell/elementwise.cuh>

using namespace warpcell;
