// Shifts of what cells may only read, `x[i] >> bit` of a `const int* x`: they are a GPU's, as those of other numbers.
#pragma once
#pragma GCC system_header
#include_next <warpcell_cpu/arithmetic.h>

namespace warpcell_cpu {

template <class T>
struct WithoutReference<const T&> {
  using type = T;
};
template <class T>
struct WithoutReference<volatile T&> {
  using type = T;
};
template <class T>
struct WithoutReference<const volatile T&> {
  using type = T;
};

}  // namespace warpcell_cpu
