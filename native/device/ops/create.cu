// Elements made from their index: evenly spaced and random numbers. A random one depends on seed, stream and index only, so devices agree.
#include <warpcell/layout.cuh>
#include <warpcell/numbers.cuh>
#include <warpcell/philox.cuh>

using namespace warpcell;

template <class T> __global__ void spaced(T* out, long long count, double start, double step) {
  long long index = global_index();
  if (index < count) out[index] = narrow<T>(start + double(index) * step);
}

// The same for int64, exact where float64 is not.
template <class T> __global__ void counted(T* out, long long count, long long start, long long step) {
  long long index = global_index();
  if (index < count) out[index] = narrow<T>(start + index * step);
}

// [0, 1): cut to the bits that T holds, since rounding could give 1.
template <class T> struct Uniform { static constexpr double steps = 16777216.0; };
template <> struct Uniform<double> { static constexpr double steps = 9007199254740992.0; };
#ifdef WARPCELL_SIXTEEN_BITS
template <> struct Uniform<__half> { static constexpr double steps = 2048.0; };
template <> struct Uniform<__nv_bfloat16> { static constexpr double steps = 256.0; };
#endif

// Two elements a thread.
template <class T> __global__ void uniform(T* out, long long count, unsigned long long seed, unsigned long long stream) {
  long long index = global_index() * 2;
  if (index >= count) return;
  Words words = philox((unsigned long long)index / 2, stream, seed);
  for (int i = 0; i < 2 && index + i < count; i++) {
    double value = unit(words.word[2 * i], words.word[2 * i + 1]);
    out[index + i] = narrow<T>((double)(long long)(value * Uniform<T>::steps) / Uniform<T>::steps);
  }
}

// Box and Muller's pairs, in float64 so that rounding to T hides what devices' logarithms differ by.
template <class T> __global__ void normal(T* out, long long count, unsigned long long seed, unsigned long long stream) {
  long long index = global_index() * 2;
  if (index >= count) return;
  Words words = philox((unsigned long long)index / 2, stream, seed);
  double radius = sqrt(-2.0 * log(1.0 - unit(words.word[0], words.word[1])));
  double angle = 6.283185307179586476925 * unit(words.word[2], words.word[3]);
  out[index] = narrow<T>(radius * cos(angle));
  if (index + 1 < count) out[index + 1] = narrow<T>(radius * sin(angle));
}
