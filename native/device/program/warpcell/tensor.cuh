// <warpcell/tensor.cuh> for host code: a kernel's `warpcell::Tensor<T, N>` is called TensorView<T, N> here.
#pragma once
#include "tensor.h"
