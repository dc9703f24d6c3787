// Arithmetic of two operands, and of three: the kernels of elementwise.cuh.
#include <warpcell/functors/arithmetic.cuh>
#include <warpcell/elementwise.cuh>

using namespace warpcell;
