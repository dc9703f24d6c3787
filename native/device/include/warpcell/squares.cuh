// A square of elements transposed in vectors of 64 bytes, on the CPU: each row of it is one, read whole and written
// whole.
#pragma once

namespace warpcell {

template <int... K>
struct Lanes {};
template <int n, int... K>
struct LanesBelow : LanesBelow<n - 1, n - 1, K...> {};
template <int... K>
struct LanesBelow<0, K...> {
  using type = Lanes<K...>;
};

// Compilers that have no shuffle of two vectors by constants, and elements of other sizes, of which a square has too
// many rows or too few, go without.
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WARPCELL_SQUARES 1
#endif
#endif
#ifdef WARPCELL_SQUARES
template <class T>
constexpr bool has_square = sizeof(T) == 4 || sizeof(T) == 8;

template <class T>
struct Square {
  static constexpr int size = 64 / sizeof(T);
  typedef T Row __attribute__((vector_size(64)));
  Row rows[size];

  // Of every two rows that are s apart, the off-diagonal parts of s × s change places.
  template <int s, int... K>
  inline void exchange(Lanes<K...>) {
    for (int i = 0; i < size; i++) {
      if (i & s) continue;
      Row a = rows[i], b = rows[i + s];
      rows[i] = __builtin_shufflevector(a, b, (K & s ? size + K - s : K)...);
      rows[i + s] = __builtin_shufflevector(a, b, (K & s ? size + K : K + s)...);
    }
  }
  template <int s = size / 2>
  inline void turn() {
    exchange<s>(typename LanesBelow<size>::type());
    if constexpr (s > 1) turn<s / 2>();
  }
};
#else
template <class T>
constexpr bool has_square = false;
#endif

}  // namespace warpcell
