// Activation functions and their gradients: the kernels of elementwise.cuh.
#include <warpcell/functors/activations.cuh>
#include <warpcell/elementwise.cuh>

using namespace warpcell;
