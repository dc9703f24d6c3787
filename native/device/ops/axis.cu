// Elements taken from and put at indices along an axis of `length`: put in [outer, length, inner], row-major, at
// indices of shape [outer, own, inner]. They are checked on the way: negative ones count from the end, and one that is
// outside is told in `outside`, and stands for 0. Of elements that come to one place the last stays, or they are joined
// in their order, so that results are the same from run to run.
#include <warpcell/axis_lines.cuh>
#include <warpcell/joins.cuh>
#include <warpcell/map.cuh>
#ifdef WARPCELL_SERIAL
#include <warpcell/axis_walks.cuh>
#endif

using namespace warpcell;

// Elements wider than any dtype, for rows that lie without gaps.
struct alignas(16) Sixteen {
  uint64 word[2];
};

// out[…] = in[…] at an index along an axis of `length`, whose elements lie `step` apart. `layout`: of `out`, without
// gaps, of `in` but for that axis, and of the indices.
template <class T, class I>
__global__ void take_axis(Layout<3> layout, const T* in, const I* index, T* out, long long count, long long length,
                          long long step, long long* outside) {
  Checked checked(length);
#ifdef WARPCELL_SERIAL
  const Walk walk = walk_of(layout, 1), indices = walk_of(layout, 2);
  const Span span = block_span(count);
  const bool is_flat = layout.rank <= 3 && indices.along == 1 &&
                       (layout.rank < 2 || indices.middle_step == indices.inner) &&
                       (layout.rank < 3 || indices.outer_step == indices.inner * indices.middle);
  const bool is_shared = layout.rank <= 3 && indices.middle_step == 0 && indices.outer_step == 0;
  if (layout.rank <= 3 && indices.along == 0 && walk.along == 1)
    take_rows(walk, indices, in, index, out, span, step, checked);
  else if (is_flat)
    take_walking(walk, in, index, out, span, step, checked);
  else if (is_shared && walk.inner <= kKnown)
    take_known(walk, in, index, indices.along, out, span, step, checked);
  else
    for_rows(layout, count, [&](const Offsets<3>& offsets, long long steps) {
      T* to = out + offsets.at[0];
      const T* from = in + offsets.at[1];
      long long places[kPlaces];
      for (long long first = 0; first < steps; first += kPlaces) {
        const int here = steps - first < kPlaces ? int(steps - first) : kPlaces;
        places_of(index + offsets.at[2] + first * indices.along, indices.along, here, step, checked, places);
        for (int k = 0; k < here; k++) to[first + k] = from[(first + k) * walk.along + places[k]];
      }
    });
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

// `x` with the elements of `source` put at the indices, on the CPU. `set` replaces, and needs no states; the others
// join in those of a block's tile, or, where blocks have places of the axis, in those of all elements.
template <class T, class I>
__global__ void set_axis(const T* x, const I* index, const T* source, T* out, long long outer, long long length,
                         long long own, long long inner, long long planes, long long columns, long long* outside) {
#ifdef WARPCELL_SERIAL
  const Tiles tiles{outer, length, own, inner, planes, columns};
  auto start = [=](long long from, long long to, long long count) { copy_row(out + to, x + from, count); };
  auto put = [=](long long to, long long from) WARPCELL_INLINED { out[to] = source[from]; };
  auto finish = [](long long, long long, long long) {};
  if (planes == 0)
    put_places(tiles, index, outside, start, put, finish);
  else
    put_tiles(tiles, index, false, outside, start, put, finish);
#endif
}

template <template <class> class Op, class T, class I>
__global__ void join_axis(const T* x, const I* index, const T* source, T* out, Op<Wide<T>>* states, long long outer,
                          long long length, long long own, long long inner, long long planes, long long columns,
                          long long* outside) {
#ifdef WARPCELL_SERIAL
  const Tiles tiles{outer, length, own, inner, planes, columns};
  Op<Wide<T>>* mine = states + blockIdx.x * planes * length * columns;
  auto start = [=](long long from, long long to, long long count) {
    for (long long i = 0; i < count; i++) mine[to + i].start(widen<T>(x[from + i]));
  };
  auto put = [=](long long to, long long from) WARPCELL_INLINED { mine[to].add(widen<T>(source[from])); };
  auto finish = [=](long long from, long long to, long long count) {
    for (long long i = 0; i < count; i++) out[from + i] = narrow<T>(mine[to + i].finish());
  };
  if (planes == 0)
    put_places(tiles, index, outside, start, put, finish);
  else
    put_tiles(tiles, index, true, outside, start, put, finish);
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
