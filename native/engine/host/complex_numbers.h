// Numbers of calls that take real and complex ones alike.
#pragma once
#include <complex>
#include <type_traits>

namespace warpcell {

template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};
// The type of a complex number's parts; of a real number its own.
template <class T>
using Real = typename RealPart<T>::type;
template <class T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

}  // namespace warpcell
