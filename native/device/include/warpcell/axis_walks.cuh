// Indices along an axis on the CPU, where a thread has many: they are checked a stretch at a time, as vectors, and the
// elements that they are for are counted through without a division.
#pragma once
#include "axis_lines.cuh"
#include "row_copies.cuh"

namespace warpcell {

constexpr int kPlaces = 256;     // elements whose places are worked out together
constexpr int kKnown = 4096;     // places of a row that all rows share
constexpr long long kAhead = 8;  // rows that are on their way from memory
constexpr long long kRun = 16;   // from which length on a loop over a row is worth its beginning

// As many bytes as a row has elements.
template <int N>
struct Room {
  char bytes[N];
};

// Where the elements of `count` indices lie along the axis, whose elements are `step` apart.
template <class I>
inline void places_of(const I* at, long long next, int count, long long step, Checked& checked, long long* places) {
  const long long length = checked.length;
  int is_any_outside = 0;
  auto place = [&](int k, long long i) WARPCELL_INLINED {
    const long long place = i < 0 ? i + length : i;
    const bool is_inside = uint64(place) < uint64(length);
    is_any_outside |= !is_inside;
    places[k] = is_inside ? place * step : 0;
  };
  if (next == 1)
    for (int k = 0; k < count; k++) place(k, at[k]);
  else
    for (int k = 0; k < count; k++) place(k, at[k * next]);
  // Which one is looked for only where there is one.
  for (int k = 0; is_any_outside && k < count; k++) checked(at[k * next]);
}

// Counts through [outer, middle, inner] and where that is, by the steps of each axis.
struct Walk {
  long long middle, inner, outer_step, middle_step, along;
  long long o = 0, r = 0, n = 0, base = 0;

  inline void go_to(long long element) {
    n = element % inner;
    r = element / inner % middle;
    o = element / inner / middle;
    base = o * outer_step + r * middle_step;
  }
  inline WARPCELL_INLINED void turn() {
    n = 0;
    skip(1);
  }
  // Rows of the middle axis, which has as many left.
  inline WARPCELL_INLINED void skip(long long rows) {
    base += rows * middle_step;
    r += rows;
    if (r < middle) return;
    r = 0;
    o++;
    base += outer_step - middle * middle_step;
  }
  // Calls f(k, where it is) for the next `count` elements.
  template <class F>
  inline WARPCELL_INLINED void next(int count, F f) {
    if (inner < kRun) {
      for (int k = 0; k < count; k++) {
        f(k, base + n * along);
        if (++n == inner) turn();
      }
      return;
    }
    for (int k = 0; k < count;) {
      const int run = inner - n < count - k ? int(inner - n) : count - k;
      const long long from = base + n * along;
      if (along == 0)
        for (int j = 0; j < run; j++) f(k + j, from);
      else if (along == 1)
        for (int j = 0; j < run; j++) f(k + j, from + j);
      else
        for (int j = 0; j < run; j++) f(k + j, from + j * along);
      k += run;
      n += run;
      if (n == inner) turn();
    }
  }
};

// The axes of a layout as [outer, middle, inner], and the steps of one of its operands.
template <int N>
inline Walk walk_of(const Layout<N>& layout, int operand) {
  const int inner = layout.rank - 1;
  const long long* steps = layout.strides[operand];
  const bool has_middle = inner > 0;
  return {has_middle ? layout.shape[inner - 1] : 1, layout.shape[inner], inner > 1 ? steps[inner - 2] : 0,
          has_middle ? steps[inner - 1] : 0, steps[inner]};
}

// out[i] = in[…] for elements that have an index each, which lie side by side.
template <class T, class I>
inline void take_walking(Walk walk, const T* in, const I* index, T* out, Span span, long long step, Checked& checked) {
  long long places[kPlaces];
  walk.go_to(span.begin);
  for (long long first = span.begin; first < span.end; first += kPlaces) {
    const int here = span.end - first < kPlaces ? int(span.end - first) : kPlaces;
    places_of(index + first, 1, here, step, checked, places);
    walk.next(here, [&](int k, long long base) WARPCELL_INLINED { out[first + k] = in[base + places[k]]; });
  }
}

// Rows by the same indices all, of up to kKnown elements.
template <class T, class I>
inline void take_known(Walk walk, const T* in, const I* index, long long next, T* out, Span span, long long step,
                       Checked& checked) {
  long long places[kKnown];
  const int length = int(walk.inner);
  places_of(index, next, length, step, checked, places);
  for (int k = 0; k < length; k++) places[k] += k * walk.along;
  walk.go_to(span.begin);
  for (long long at = span.begin; at < span.end;) {
    const long long end = length < walk.n + span.end - at ? length : walk.n + span.end - at;
    const T* from = in + walk.base;
    T* to = out + at - walk.n;
    for (long long n = walk.n; n < end; n++) to[n] = from[places[n]];
    at += end - walk.n;
    walk.turn();
  }
}

// `count` rows of `length` elements from their places, one after another; long ones are fetched before they are wanted.
template <class T>
inline void copy_rows(T* to, const T* from, long long apart, const long long* places, int count, long long length) {
  auto each = [&](auto copy) WARPCELL_INLINED {
    for (int k = 0; k < count; k++) copy(to + k * length, from + k * apart + places[k]);
  };
  auto of = [&](auto room) WARPCELL_INLINED {
    each([](T* row, const T* source) WARPCELL_INLINED { __builtin_memcpy(row, source, sizeof(T) * sizeof room); });
  };
  switch (length) {
    case 1:
      return of(Room<1>());
    case 2:
      return of(Room<2>());
    case 3:
      return of(Room<3>());
    case 4:
      return of(Room<4>());
    case 8:
      return of(Room<8>());
  }
  const long long bytes = length * (long long)sizeof(T), most = bytes < 256 ? bytes : 256;
  for (int k = 0; k < count; k++) {
    if (k + kAhead < count)
      for (long long byte = 0; byte < most; byte += 64)
        __builtin_prefetch((const char*)(from + (k + kAhead) * apart + places[k + kAhead]) + byte);
    copy_row(to + k * length, from + k * apart + places[k], length);
  }
}

// Whole rows by an index each.
template <class T, class I>
inline void take_rows(Walk walk, const Walk& indices, const T* in, const I* index, T* out, Span span, long long step,
                      Checked& checked) {
  const long long next = indices.middle_step, length = walk.inner;
  long long places[kPlaces];
  const bool is_known = indices.outer_step == 0 && walk.middle <= kPlaces;
  if (is_known) places_of(index, next, int(walk.middle), step, checked, places);
  walk.go_to(span.begin);
  for (long long at = span.begin; at < span.end;) {
    const I* own = index + walk.o * indices.outer_step + walk.r * next;
    const T* from = in + walk.base;
    const long long left = span.end - at;
    if (walk.n > 0 || left < length) {
      const long long count = length - walk.n < left ? length - walk.n : left;
      copy_row(out + at, from + checked(*own) * step + walk.n, count);
      at += count;
      walk.turn();
      continue;
    }
    long long rows = walk.middle - walk.r < left / length ? walk.middle - walk.r : left / length;
    if (rows > kPlaces) rows = kPlaces;
    if (!is_known) places_of(own, next, int(rows), step, checked, places);
    copy_rows(out + at, from, walk.middle_step, is_known ? places + walk.r : places, int(rows), length);
    at += rows * length;
    walk.skip(rows);
  }
}

// How elements are put at indices along the middle axis of [outer, length, inner]: a tile after another, which is
// `planes` neighbouring planes, or `columns` neighbouring columns of one; or, if planes is 0, each block has places of
// the axis to itself.
struct Tiles {
  long long outer, length, own, inner, planes, columns;
};

// Calls start(where a row of places begins, where in its tile, how many), then put(place in the tile, element), then
// finish like start. `is_compact`: tiles lie without gaps, else as the places do, `base` before those of the first.
template <class I, class Start, class Put, class Finish>
inline void put_tiles(const Tiles& tiles, const I* index, bool is_compact, long long* outside, Start start, Put put,
                      Finish finish) {
  const long long outer = tiles.outer, length = tiles.length, own = tiles.own, inner = tiles.inner,
                  planes = tiles.planes, columns = tiles.columns;
  Checked checked(length);
  long long places[kPlaces];
  const long long across = (inner + columns - 1) / columns, count = (outer + planes - 1) / planes * across;
  const long long share = (count + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share,
                  end = begin + share < count ? begin + share : count;
  for (long long tile = begin; tile < end; tile++) {
    const long long plane = tile / across * planes, column = tile % across * columns,
                    here = outer - plane < planes ? outer - plane : planes,
                    width = inner - column < columns ? inner - column : columns, pitch = is_compact ? width : inner,
                    origin = plane * length * inner + column, base = is_compact ? 0 : origin;
    auto each_row = [&](auto f) {
      if (width == inner) return f(origin, base, here * length * inner);
      for (long long at = 0; at < length; at++) f(origin + at * inner, base + at * pitch, width);
    };
    each_row(start);
    const long long first = plane * own * inner + column;
    if (width == inner) {
      Walk walk = inner == 1 ? Walk{1, own, length, 0, 0} : Walk{own, inner, length * inner, 0, 1};
      for (long long e = 0; e < here * own * inner; e += kPlaces) {
        const int steps = here * own * inner - e < kPlaces ? int(here * own * inner - e) : kPlaces;
        places_of(index + first + e, 1, steps, inner, checked, places);
        walk.next(steps, [&](int k, long long at) WARPCELL_INLINED { put(base + at + places[k], first + e + k); });
      }
    } else {
      for (long long r = 0; r < own; r++)
        for (long long n = 0; n < width; n += kPlaces) {
          const int steps = width - n < kPlaces ? int(width - n) : kPlaces;
          const long long from = first + r * inner + n;
          places_of(index + from, 1, steps, pitch, checked, places);
          for (int k = 0; k < steps; k++) put(base + n + k + places[k], from + k);
        }
    }
    each_row(finish);
  }
  checked.tell(outside);
}

// The same for a block's places of the axis, in all planes, which lie as they do.
template <class I, class Start, class Put, class Finish>
inline void put_places(const Tiles& tiles, const I* index, long long* outside, Start start, Put put, Finish finish) {
  const long long outer = tiles.outer, length = tiles.length, own = tiles.own, inner = tiles.inner;
  Checked checked(length);
  long long places[kPlaces];
  int mine[kPlaces];
  const long long share = (length + gridDim.x - 1) / gridDim.x,
                  begin = blockIdx.x * share < length ? blockIdx.x * share : length,
                  end = begin + share < length ? begin + share : length;
  for (long long o = 0; o < outer; o++) {
    const long long base = o * length * inner, origin = base + begin * inner, size = (end - begin) * inner;
    start(origin, origin, size);
    Walk walk = inner == 1 ? Walk{1, own, 0, 0, 0} : Walk{own, inner, 0, 0, 1};
    for (long long e = 0; e < own * inner; e += kPlaces) {
      const int steps = own * inner - e < kPlaces ? int(own * inner - e) : kPlaces;
      const long long from = o * own * inner + e;
      places_of(index + from, 1, steps, inner, checked, places);
      int found = 0;
      walk.next(steps, [&](int k, long long at) WARPCELL_INLINED {
        places[k] += at;
        mine[found] = k;
        found += uint64(places[k] - begin * inner) < uint64(size);
      });
      for (int m = 0; m < found; m++) put(base + places[mine[m]], from + mine[m]);
    }
    finish(origin, origin, size);
  }
  checked.tell(outside);
}

}  // namespace warpcell
