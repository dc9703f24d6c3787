// Bessel functions: the kernels of elementwise.cuh.
#include <warpcell/functors/bessel.cuh>
#include <warpcell/elementwise.cuh>

using namespace warpcell;
