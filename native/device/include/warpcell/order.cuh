// Keys that sort as unsigned integers where elements sort as numbers: NaN last in both directions, −0 beside +0.
#pragma once
#include "numbers.cuh"

namespace warpcell {

template <int bytes> struct Bits;
template <> struct Bits<1> { using type = uchar; };
template <> struct Bits<2> { using type = ushort; };
template <> struct Bits<4> { using type = uint; };
template <> struct Bits<8> { using type = uint64; };
template <int bytes> struct KeyOf { using type = uint; };
template <> struct KeyOf<8> { using type = uint64; };
template <class T> using SortKey = typename KeyOf<sizeof(T)>::type;

template <class T> __device__ inline SortKey<T> sort_key(T value, int descending) {
  using U = typename Bits<sizeof(T)>::type;
  union { T element; U bits; } cell;
  cell.element = value;
  constexpr U sign = U(U(1) << (8 * sizeof(T) - 1));
  U bits = cell.bits;
  if constexpr (Number<T>::is_float) {
    Wide<T> wide = widen<T>(value);
    if (wide != wide) return U(~U(0));
    if (bits == sign) bits = 0;
    bits = bits & sign ? U(~bits) : U(bits | sign);
  } else if constexpr (T(-1) < T(1) && !Number<T>::is_bool) {
    bits ^= sign;
  }
  return descending ? U(~bits) : bits;
}

}  // namespace warpcell
