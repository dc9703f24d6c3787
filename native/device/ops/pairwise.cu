// Functions of two operands beside arithmetic: the kernels of elementwise.cuh.
#include <warpcell/functors/pairwise.cuh>
#include <warpcell/elementwise.cuh>

using namespace warpcell;
