// Elements taken from and put at indices along an axis of `length`: put in [outer, length, inner], row-major, at
// indices of shape [outer, own, inner]. They are checked on the way: negative ones count from the end, and one that is
// outside is told in `outside`, and stands for 0. Of elements that come to one place the last stays, or they are joined
// in their order, so that results are the same from run to run.
#include <warpcell/axis_lines.cuh>
#include <warpcell/joins.cuh>
#include <warpcell/map.cuh>
#ifdef WARPCELL_SERIAL
#include <warpcell/row_copies.cuh>
#endif

using namespace warpcell;

// Elements wider than any dtype, for rows that lie without gaps.
struct alignas(16) Sixteen {
  uint64 word[2];
};

#ifdef WARPCELL_SERIAL
constexpr int kPlaces = 256;     // elements whose places are worked out together
constexpr long long kAhead = 8;  // rows that are on their way from memory
// Of a row that has an index of its own.
template <class T, class I>
inline void take_elements(const T* from, const I* index, T* to, long long count, long long along, long long next,
                          long long step, Checked& checked) {
  long long places[kPlaces];
  for (long long first = 0; first < count; first += kPlaces) {
    const int here = count - first < kPlaces ? int(count - first) : kPlaces;
    const long long length = checked.length;
    const I* at = index + first * next;
    int is_any_outside = 0;
    auto place = [&](int k, long long i) WARPCELL_INLINED {
      const long long place = i < 0 ? i + length : i;
      const bool is_inside = uint64(place) < uint64(length);
      is_any_outside |= !is_inside;
      places[k] = is_inside ? place * step : 0;
    };
    if (next == 1)
      for (int k = 0; k < here; k++) place(k, at[k]);
    else
      for (int k = 0; k < here; k++) place(k, at[k * next]);
    // Which one is looked for only where there is one.
    for (int k = 0; is_any_outside && k < here; k++) checked(at[k * next]);
    if (along == 0)
      for (int k = 0; k < here; k++) to[first + k] = from[places[k]];
    else
      for (int k = 0; k < here; k++) to[first + k] = from[(first + k) * along + places[k]];
  }
}
// Whole rows by an index each, of which the next are fetched before they are wanted.
template <class T, class I>
inline void take_rows(const Layout<3>& layout, const T* in, const I* index, T* out, Span span, long long step,
                      Checked& checked) {
  const long long length = layout.shape[1], from_step = layout.strides[1][0], next = layout.strides[2][0];
  long long row = span.begin / length, begin = span.begin - row * length;
  for (long long at = span.begin; at < span.end; row++, begin = 0) {
    const long long end = length < begin + span.end - at ? length : begin + span.end - at;
    if (row + kAhead < layout.shape[0]) {
      const char* ahead = (const char*)(in + (row + kAhead) * from_step + index[(row + kAhead) * next] * step);
      for (long long byte = 0; byte < 256 && byte < length * (long long)sizeof(T); byte += 64)
        __builtin_prefetch(ahead + byte);
    }
    copy_row(out + at, in + row * from_step + checked(index[row * next]) * step + begin, end - begin);
    at += end - begin;
  }
}
#endif

// out[…] = in[…] at an index along an axis of `length`, whose elements lie `step` apart. `layout`: of `out`, without
// gaps, of `in` but for that axis, and of the indices.
template <class T, class I>
__global__ void take_axis(Layout<3> layout, const T* in, const I* index, T* out, long long count, long long length,
                          long long step, long long* outside) {
  Checked checked(length);
#ifdef WARPCELL_SERIAL
  const int inner = layout.rank - 1;
  const long long along = layout.strides[1][inner], next = layout.strides[2][inner];
  if (layout.rank == 2 && next == 0 && along == 1) {
    take_rows(layout, in, index, out, block_span(count), step, checked);
  } else {
    for_rows(layout, count, [&](const Offsets<3>& offsets, long long steps) {
      T* to = out + offsets.at[0];
      const T* from = in + offsets.at[1];
      const I* at = index + offsets.at[2];
      if (next != 0) return take_elements(from, at, to, steps, along, next, step, checked);
      from += checked(*at) * step;
      if (along == 1)
        copy_row(to, from, steps);
      else
        for (long long k = 0; k < steps; k++) to[k] = from[k * along];
    });
  }
#else
  if (layout.is_small) {
    const unsigned first = blockIdx.x * blockDim.x * kEach + threadIdx.x, end = unsigned(count);
    if (first >= end) return;
    unsigned elements[kEach];
    Offsets<3, int> at[kEach];
    I indices[kEach];
    T loaded[kEach];
#pragma unroll
    for (int k = 0; k < kEach; k++) elements[k] = batch_index(first, k, end - 1);
    near_offsets(layout, elements, at);
#pragma unroll
    for (int k = 0; k < kEach; k++) indices[k] = index[at[k].at[2]];
#pragma unroll
    for (int k = 0; k < kEach; k++) loaded[k] = in[at[k].at[1] + checked(indices[k]) * step];
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      const unsigned i = first + k * blockDim.x;
      if (i < end) out[i] = loaded[k];
    }
  } else {
    const long long first = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
    for (long long i = first; i < count && i < first + kEach * (long long)blockDim.x; i += blockDim.x) {
      const Offsets<3> at = offsets(layout, i);
      out[i] = in[at.at[1] + checked(index[at.at[2]]) * step];
    }
  }
#endif
  checked.tell(outside);
}

// The numbers of classes as places among `length`: `ignored` stands at 0, and so does what is no class, which is told.
inline __global__ void class_places(const long long* classes, long long* places, long long count, long long length,
                                    long long ignored, long long* outside) {
  auto put = [=](long long i) {
    const long long at = classes[i];
    const bool is_class = uint64(at) < uint64(length);
    places[i] = is_class && at != ignored ? at : 0;
    if (!is_class && at != ignored) tell_outside(outside, at);
  };
#ifdef WARPCELL_SERIAL
  const Span span = block_span(count);
  for (long long i = span.begin; i < span.end; i++) put(i);
#else
  for (long long i = global_index(); i < count; i += (long long)gridDim.x * blockDim.x) put(i);
#endif
}

// `x` with the elements of `source` put at the indices, on the CPU: a block has rows, columns or places of the axis to
// itself. `set` replaces, and needs no states; the others join in those of all elements.
#ifdef WARPCELL_SERIAL
struct Part {
  Span o, n, at;
  __device__ inline Part(long long outer, long long length, long long inner) : o{0, outer}, n{0, inner}, at{0, length} {
    Span& most = outer >= gridDim.x ? o : inner >= gridDim.x ? n : at;
    const long long share = (most.end + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share;
    most = {begin < most.end ? begin : most.end, begin + share < most.end ? begin + share : most.end};
  }
};

template <class I, class F>
__device__ inline void for_places(const I* index, const Part& part, long long length, long long own, long long inner,
                                  long long* outside, F put) {
  Checked checked(length);
  for (long long o = part.o.begin; o < part.o.end; o++) {
    if (inner == 1) {
      for (long long r = 0; r < own; r++) {
        const long long at = checked(index[o * own + r]);
        if (at >= part.at.begin && at < part.at.end) put(o * length + at, o * own + r);
      }
      continue;
    }
    for (long long r = 0; r < own; r++) {
      const long long line = (o * own + r) * inner;
      for (long long n = part.n.begin; n < part.n.end; n++) {
        const long long at = checked(index[line + n]);
        if (at >= part.at.begin && at < part.at.end) put((o * length + at) * inner + n, line + n);
      }
    }
  }
  checked.tell(outside);
}

template <class F>
__device__ inline void for_part(const Part& part, long long length, long long inner, F f) {
  for (long long o = part.o.begin; o < part.o.end; o++)
    for (long long at = part.at.begin; at < part.at.end; at++) {
      const long long line = (o * length + at) * inner;
      for (long long n = part.n.begin; n < part.n.end; n++) f(line + n);
    }
}
#endif

template <class T, class I>
__global__ void set_axis(const T* x, const I* index, const T* source, T* out, long long outer, long long length,
                         long long own, long long inner, long long* outside) {
#ifdef WARPCELL_SERIAL
  const Part part(outer, length, inner);
  for_part(part, length, inner, [&](long long i) { out[i] = x[i]; });
  for_places(index, part, length, own, inner, outside, [&](long long to, long long from) { out[to] = source[from]; });
#endif
}

template <template <class> class Op, class T, class I>
__global__ void join_axis(const T* x, const I* index, const T* source, T* out, Op<Wide<T>>* states, long long outer,
                          long long length, long long own, long long inner, long long* outside) {
#ifdef WARPCELL_SERIAL
  const Part part(outer, length, inner);
  for_part(part, length, inner, [&](long long i) { states[i].start(widen<T>(x[i])); });
  for_places(index, part, length, own, inner, outside,
             [&](long long to, long long from) { states[to].add(widen<T>(source[from])); });
  for_part(part, length, inner, [&](long long i) { out[i] = narrow<T>(states[i].finish()); });
#endif
}

// On a GPU the last of the elements that come to each place is marked by its number along the axis, from 1; 0 is none.
template <class I>
__global__ void mark_last(const I* index, uint* last, long long count, long long length, long long own, long long inner,
                          long long* outside) {
#ifndef WARPCELL_SERIAL
  Checked checked(length);
  const long long first = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = first + (long long)k * blockDim.x;
    if (i >= count) break;
    const uint line = uint(i) / uint(inner), n = uint(i) - line * uint(inner), o = line / uint(own);
    atomicMax(&last[(o * length + checked(index[i])) * inner + n], line - o * uint(own) + 1);
  }
  checked.tell(outside);
#endif
}

template <class T>
__global__ void set_marked(const T* x, const uint* last, const T* source, T* out, long long count, long long length,
                           long long own, long long inner) {
#ifndef WARPCELL_SERIAL
  const long long first = (long long)blockIdx.x * blockDim.x * kEach + threadIdx.x;
  T loaded[kEach];
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = first + (long long)k * blockDim.x;
    if (i >= count) break;
    const uint mark = last[i], line = uint(i) / uint(inner), n = uint(i) - line * uint(inner), o = line / uint(length);
    loaded[k] = mark > 0 ? source[((long long)o * own + mark - 1) * inner + n] : x[i];
  }
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const long long i = first + (long long)k * blockDim.x;
    if (i < count) out[i] = loaded[k];
  }
#endif
}

// The last of the elements that come to each place, by its number along the axis, in shared memory.
template <class T, class I>
__global__ void __launch_bounds__(kJoinThreads)
    set_lines(const T* x, const I* index, const T* source, T* out, long long outer, int length, int own,
              long long inner, int lines, long long* outside) {
#ifndef WARPCELL_SERIAL
  extern __shared__ uint words[];
  const Lines mine(outer, length, own, inner, lines);
  for (int i = threadIdx.x; i < mine.places(); i += kJoinThreads) words[i] = 0;
  __syncthreads();
  Checked checked(length);
  const I* at = index + mine.first_element;
  I indices[kEach];
  mine.each_element([&](int k, long long i) { indices[k] = at[i]; },
                    [&](int k, int order, int line) {
                      atomicMax(&words[mine.cell_of(int(checked(indices[k])), line)], uint(order) + 1);
                    });
  checked.tell(outside);
  __syncthreads();
  const T* from = source + mine.first_element;
#pragma unroll 4
  for (int cell = threadIdx.x; cell < mine.places(); cell += kJoinThreads) {
    const long long to = mine.place_at(cell);
    const int last = int(words[cell]) - 1;
    const long long line = mine.is_rows ? (long long)(cell / length) * own : cell % mine.here;
    out[mine.first_place + to] = last < 0 ? x[mine.first_place + to] : from[line + last * inner];
  }
#endif
}

// Elements are joined in their order. A block counts how many come to each place, where their list begins, and which
// they are. A short list is sorted by their order, for a long one all are looked through.
template <template <class> class Op, class T, class I>
__global__ void __launch_bounds__(kJoinThreads)
    join_lines(const T* x, const I* index, const T* source, T* out, long long outer, int length, int own,
               long long inner, int lines, long long* outside) {
#ifndef WARPCELL_SERIAL
  extern __shared__ uint words[];
  __shared__ uint sums[kJoinThreads / 32];
  constexpr int kSorted = 16;
  const Lines mine(outer, length, own, inner, lines);
  const int places = mine.places(), elements = mine.elements();
  const T* from = source + mine.first_element;
  const I* at = index + mine.first_element;
  // Two counters a word.
  ushort* starts = (ushort*)words;
  ushort* cells = starts + (places + 1) / 2 * 2;
  ushort* list = cells + (elements + 1) / 2 * 2;
  for (int i = threadIdx.x; i < (places + 1) / 2; i += kJoinThreads) words[i] = 0;
  __syncthreads();
  Checked checked(length);
  for (int e = threadIdx.x; e < elements; e += kJoinThreads) {
    const int cell = mine.cell_of(int(checked(at[mine.element_at(e)])), mine.line_of(e));
    cells[e] = ushort(cell);
    atomicAdd(&words[cell / 2], cell & 1 ? 0x10000u : 1u);
  }
  checked.tell(outside);
  __syncthreads();
  // Where the list of each cell ends.
  const int share = (places + kJoinThreads - 1) / kJoinThreads, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int begin = threadIdx.x * share, end = begin + share < places ? begin + share : places;
  uint sum = 0;
  for (int i = begin; i < end; i++) sum += starts[i];
  uint before = sum;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    const uint other = __shfl_up_sync(0xffffffffu, before, delta);
    if (lane >= delta) before += other;
  }
  if (lane == 31) sums[warp] = before;
  __syncthreads();
  before -= sum;
  for (int w = 0; w < warp; w++) before += sums[w];
  for (int i = begin; i < end; i++) starts[i] = ushort(before += starts[i]);
  __syncthreads();
  // And where it begins, once all are listed from its end.
  for (int e = threadIdx.x; e < elements; e += kJoinThreads) {
    const int cell = cells[e];
    const uint word = atomicSub(&words[cell / 2], cell & 1 ? 0x10000u : 1u);
    list[(cell & 1 ? word >> 16 : word & 0xffff) - 1] = ushort(e);
  }
  __syncthreads();
  for (int cell = threadIdx.x; cell < places; cell += kJoinThreads) {
    const int first = starts[cell], last = cell + 1 < places ? starts[cell + 1] : elements;
    const long long to = mine.first_place + mine.place_at(cell);
    Op<Wide<T>> state;
    state.start(widen<T>(x[to]));
    if (last - first <= kSorted) {
      for (int i = first + 1; i < last; i++) {
        const ushort e = list[i];
        int j = i;
        for (; j > first && list[j - 1] > e; j--) list[j] = list[j - 1];
        list[j] = e;
      }
      for (int i = first; i < last; i++) state.add(widen<T>(from[mine.element_at(list[i])]));
    } else {
      for (int e = 0; e < elements; e++)
        if (cells[e] == cell) state.add(widen<T>(from[mine.element_at(e)]));
    }
    out[to] = narrow<T>(state.finish());
  }
#endif
}
