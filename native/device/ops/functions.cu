// Functions of one operand: the kernels of elementwise.cuh.
#include <warpcell/functors/functions.cuh>
#include <warpcell/elementwise.cuh>

using namespace warpcell;
