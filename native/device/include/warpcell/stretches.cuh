// Elements in stretches that stay in the innermost cache, side by side, on the CPU: gathered from where they lie at
// strides, and float16 as floats. A compiler makes no vectors of conversions from and to float16 one by one: a stretch
// is converted by the processor's own before a loop over it, and its results after.
#pragma once
#include "layout.cuh"
#include "numbers.cuh"
#include "streaming.cuh"

#ifdef WARPCELL_SERIAL

namespace warpcell {

constexpr long long kStretchLength = 512;

// Whether a stretch of T is held as floats while it is worked on.
template <class T>
constexpr bool is_held = false;

#if defined(WARPCELL_SIXTEEN_BITS) && defined(__F16C__)
template <>
constexpr bool is_held<__half> = true;

using EightFloats = float __attribute__((vector_size(32)));
using EightHalves = short __attribute__((vector_size(16)));

inline void widen_stretch(const __half* from, float* to, long long count) {
  long long i = 0;
  for (; i + 8 <= count; i += 8) {
    EightHalves halves;
    __builtin_memcpy(&halves, from + i, sizeof halves);
    const EightFloats floats = __builtin_ia32_vcvtph2ps256(halves);
    __builtin_memcpy(to + i, &floats, sizeof floats);
  }
  for (; i < count; i++) to[i] = widen<__half>(from[i]);
}
inline void narrow_stretch(const float* from, __half* to, long long count) {
  constexpr int kNearestEven = 0;
  long long i = 0;
  for (; i + 8 <= count; i += 8) {
    EightFloats floats;
    __builtin_memcpy(&floats, from + i, sizeof floats);
    const EightHalves halves = (EightHalves)__builtin_ia32_vcvtps2ph256(floats, kNearestEven);
    __builtin_memcpy(to + i, &halves, sizeof halves);
  }
  for (; i < count; i++) to[i] = narrow<__half>(from[i]);
}
#endif

// Neighbours as what they compute in; `length` of them are a stretch.
template <class T, bool held = is_held<T>>
struct Widened {
  const T* first;
  inline Widened(const T* first, long long) : first(first) {}
  inline Wide<T> operator[](long long i) const { return widen<T>(first[i]); }
};
template <class T>
struct Widened<T, true> {
  alignas(kLineBytes) float values[kStretchLength];
  inline Widened(const T* first, long long length) { widen_stretch(first, values, length); }
  inline float operator[](long long i) const { return values[i]; }
};

// Elements of which floats are made at a time for passes over them.
constexpr long long kMostHeld = 4096;
// The same of kMostHeld elements at most, of a T that is held.
template <class T>
struct HeldRow {
  alignas(kLineBytes) float values[kMostHeld];
  inline HeldRow(const T* first, long long length) { widen_stretch(first, values, length); }
  WARPCELL_INLINED inline float operator[](long long i) const { return values[i]; }
  inline bool is_at(const void*) const { return false; }
};

// out[i] = each(i), rounded, for i < length; of a T that is held, a stretch at most.
template <class Out, class Each>
inline WARPCELL_INLINED void put_stretch(Out* out, long long length, Each each) {
  if constexpr (is_held<Out> && same<decltype(each(0)), float>) {
    alignas(kLineBytes) float values[kStretchLength];
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < length; i++) values[i] = each(i);
    narrow_stretch(values, out, length);
  } else {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < length; i++) out[i] = narrow<Out>(each(i));
  }
}

// Rows that are shorter go a column at a time: it is longer.
constexpr long long kShortRow = 16;

// to[i] = element first + i of a plane, for i < count.
template <class T>
inline void gather(const T* from, const Plane& plane, long long first, long long count, T* to) {
  long long row = first / plane.length, at = first % plane.length;
  for (long long done = 0; done < count;) {
    const T* start = from + row * plane.row + at * plane.step;
    const long long rows = (count - done) / plane.length;
    if (at == 0 && plane.length < kShortRow && rows > 1) {
      for (long long column = 0; column < plane.length; column++)
        for (long long i = 0; i < rows; i++)
          to[done + i * plane.length + column] = start[i * plane.row + column * plane.step];
      done += rows * plane.length;
      row += rows;
      continue;
    }
    const long long steps = plane.length - at < count - done ? plane.length - at : count - done;
    T* place = to + done;
    if (plane.step == 1) {
      __builtin_memcpy(place, start, (unsigned long)steps * sizeof(T));
    } else if (plane.step == 0) {
      const T one = *start;
      for (long long i = 0; i < steps; i++) place[i] = one;
    } else if (plane.step == 2) {
      for (long long i = 0; i < steps; i++) place[i] = start[2 * i];
    } else {
      for (long long i = 0; i < steps; i++) place[i] = start[i * plane.step];
    }
    done += steps;
    at = 0;
    row++;
  }
}
// Element first + i of a plane = from[i], for i < count.
template <class T>
inline void scatter(const T* from, const Plane& plane, long long first, long long count, T* to) {
  long long row = first / plane.length, at = first % plane.length;
  for (long long done = 0; done < count; row++, at = 0) {
    const long long steps = plane.length - at < count - done ? plane.length - at : count - done;
    T* start = to + row * plane.row + at * plane.step;
    for (long long i = 0; i < steps; i++) start[i * plane.step] = from[done + i];
    done += steps;
  }
}

// One operand, of which stretches are wanted side by side: where they lie so, or in a buffer.
template <class T>
struct Placed {
  T* first;
  Plane plane;
  alignas(kLineBytes) T buffer[kStretchLength];
  inline Placed(T* first, const Plane& plane) : first(first), plane(plane) {}
  // The place of a stretch that lies side by side, else null.
  inline T* direct(long long at, long long count) const {
    const long long row = at / plane.length, column = at % plane.length;
    const bool lies = plane.step == 1 && (column + count <= plane.length || plane.row == plane.length);
    return lies ? first + row * plane.row + column : nullptr;
  }
};
template <class T>
struct Source : Placed<T> {
  inline Source(const T* first, const Plane& plane) : Placed<T>((T*)first, plane) {}
  inline const T* part(long long at, long long count) {
    if (const T* there = this->direct(at, count)) return there;
    gather((const T*)this->first, this->plane, at, count, this->buffer);
    return this->buffer;
  }
};

// Calls stretch(its place in out, its length, its part of each operand…) for elements begin … end − 1.
template <class Out, class Stretch, class... In>
inline void gather_stretches(long long begin, long long end, Placed<Out>&& out, Stretch stretch, Source<In>&&... in) {
  for (long long first = begin; first < end; first += kStretchLength) {
    const long long length = end - first < kStretchLength ? end - first : kStretchLength;
    Out* place = out.direct(first, length);
    stretch(place != nullptr ? place : out.buffer, length, in.part(first, length)...);
    if (place == nullptr) scatter(out.buffer, out.plane, first, length, out.first);
  }
}

}  // namespace warpcell
#endif
