// Keys that sort as unsigned integers where elements sort as numbers: NaN last in both directions, −0 beside +0.
#pragma once
#include "numbers.cuh"

namespace warpcell {

template <int bytes>
struct Bits;
template <>
struct Bits<1> {
  using type = uchar;
};
template <>
struct Bits<2> {
  using type = ushort;
};
template <>
struct Bits<4> {
  using type = uint;
};
template <>
struct Bits<8> {
  using type = uint64;
};
template <int bytes>
struct KeyOf {
  using type = uint;
};
template <>
struct KeyOf<8> {
  using type = uint64;
};
template <class T>
using SortKey = typename KeyOf<sizeof(T)>::type;

template <class T>
constexpr typename Bits<sizeof(T)>::type kSignBit = typename Bits<sizeof(T)>::type(1ull << (8 * sizeof(T) - 1));
template <class T>
constexpr bool kHasSign = T(-1) < T(1) && !Number<T>::is_bool;

template <class T>
__device__ inline SortKey<T> sort_key(T value, int descending) {
  using U = typename Bits<sizeof(T)>::type;
  union {
    T element;
    U bits;
  } cell;
  cell.element = value;
  U bits = cell.bits;
  if constexpr (Number<T>::is_float) {
    Wide<T> wide = widen<T>(value);
    bits = bits == kSignBit<T> ? U(0) : bits;
    bits = bits & kSignBit<T> ? U(~bits) : U(bits | kSignBit<T>);
    bits = descending ? U(~bits) : bits;
    return wide != wide ? U(~U(0)) : bits;
  } else {
    if constexpr (kHasSign<T>) bits ^= kSignBit<T>;
    return descending ? U(~bits) : bits;
  }
}

// Whether elements of different bits have this key: NaNs, and zeros.
template <class T>
__device__ inline bool is_shared_key(SortKey<T> key, int descending) {
  using U = typename Bits<sizeof(T)>::type;
  if constexpr (!Number<T>::is_float)
    return false;
  else
    return key == U(~U(0)) || key == (descending ? U(~kSignBit<T>) : kSignBit<T>);
}

// The element of a key that is not shared.
template <class T>
__device__ inline T element_of(SortKey<T> key, int descending) {
  using U = typename Bits<sizeof(T)>::type;
  union {
    U bits;
    T element;
  } cell;
  U bits = descending ? U(~key) : U(key);
  if constexpr (Number<T>::is_float)
    bits = bits & kSignBit<T> ? U(bits ^ kSignBit<T>) : U(~bits);
  else if constexpr (kHasSign<T>)
    bits ^= kSignBit<T>;
  cell.bits = bits;
  return cell.element;
}

}  // namespace warpcell
