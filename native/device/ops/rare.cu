// Functions of one operand or two that are seldom wanted: the kernels of elementwise.cuh.
#include <warpcell/functors/rare.cuh>
#include <warpcell/elementwise.cuh>

using namespace warpcell;
