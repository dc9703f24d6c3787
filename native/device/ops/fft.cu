// Fourier transforms along an axis of [outer, n, inner], and what stands around them: tables of roots, real transforms
// by complex ones of half the length, and lengths with large prime factors as convolutions.
#include <warpcell/fft/chain.cuh>

using namespace warpcell;

// exp(−2πi · ((first + row) · column mod n) / n), or of column² with `squared`, as [rows, columns]; computed in
// float64.
template <class T>
__global__ void fft_roots(T* table, long long offset, long long first, long long rows, long long columns, long long n,
                          int squared) {
  T* out = table + 2 * offset;
  long long count = rows * columns, step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    long long row = first + i / columns, column = i % columns;
    long long r = (squared ? column * column : row * column) % n;
    // Of an eighth of the circle, where both are exact to the last bits.
    bool below = 2 * r > n;
    if (below) r = n - r;
    bool left = 4 * r > n;
    long long quarter = left ? n - 2 * r : 2 * r;  // in halves of n
    bool upper = 4 * quarter > n;
    double angle = 3.14159265358979323846 * (upper ? double(n - 2 * quarter) / 2 : double(quarter)) / double(n);
    double c = cos(angle), s = sin(angle);
    double x = upper ? s : c, y = upper ? c : s;
    out[2 * i] = T(left ? -x : x);
    out[2 * i + 1] = T(below ? y : -y);
  }
}

// One pass: the blocks share its transforms.
template <class T>
__global__ void __launch_bounds__(kFftThreads) fft_pass(const Chain chain, int which, const T* x, T* out,
                                                        const T* table, long long read_rows, long long write_rows) {
  const Pass& pass = chain.passes[which];
  long long lanes = lanes_of<T>(chain), all = chain.outer * pass.s * pass.l, tiles = (all + lanes - 1) / lanes;
  long long first = tiles * blockIdx.x / gridDim.x * lanes, end = tiles * (blockIdx.x + 1) / gridDim.x * lanes;
  run_pass<T>(chain, which, x, read_rows, out, write_rows, table, first, end < all ? end : all);
}

// X[k] of real numbers from Z, their even and odd ones as a complex transform of half the length h, in place: rows of h
// and one more. `roots`: exp(−2πi·k/2h). All but the first and the last are multiplied by `inside`.
template <class T>
__device__ inline void unpack_pair(Point<T>* row, const Point<T>* roots, long long h, long long k, T inside,
                                   bool conjugates) {
  T sign = conjugates ? T(-1) : T(1);
  if (k == 0) {
    Point<T> z = row[0];
    row[0] = {z.re + z.im, T(0)};
    row[h] = {z.re - z.im, T(0)};
    return;
  }
  Point<T> a = row[k], b = row[h - k];
  T half = inside * T(0.5);
  Point<T> even{(a.re + b.re) * half, (a.im - b.im) * half}, odd{(a.im + b.im) * half, (b.re - a.re) * half};
  odd = times(odd, roots[k].re, roots[k].im);
  row[k] = {even.re + odd.re, (even.im + odd.im) * sign};
  if (k != h - k) row[h - k] = {even.re - odd.re, (odd.im - even.im) * sign};
}
// The way back, without the factor 1/2h: `row` has h and one more, `out` gets h.
template <class T>
__device__ inline void pack_pair(const Point<T>* row, Point<T>* out, const Point<T>* roots, long long h, long long k,
                                 T inside, bool conjugates) {
  if (k == 0) {
    out[0] = {row[0].re + row[h].re, row[0].re - row[h].re};
    return;
  }
  T sign = conjugates ? -inside : inside;
  Point<T> a{row[k].re * inside, row[k].im * sign}, b{row[h - k].re * inside, row[h - k].im * sign};
  Point<T> even{a.re + b.re, a.im - b.im}, odd{a.re - b.re, a.im + b.im};
  odd = times(odd, roots[k].re, -roots[k].im);
  out[k] = {even.re - odd.im, even.im + odd.re};
  if (k != h - k) out[h - k] = {even.re + odd.im, odd.re - even.im};
}

template <class T>
__global__ void fft_unpack(T* out, const T* table, long long roots, long long rows, long long h, double inside,
                           int conjugates) {
  long long pairs = h / 2 + 1, count = rows * pairs, step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step)
    unpack_pair<T>((Point<T>*)out + i / pairs * (h + 1), (const Point<T>*)table + roots, h, i % pairs, T(inside),
                   conjugates);
}
template <class T>
__global__ void fft_pack(const T* x, T* out, const T* table, long long roots, long long rows, long long h,
                         double inside, int conjugates) {
  long long pairs = h / 2 + 1, count = rows * pairs, step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step)
    pack_pair<T>((const Point<T>*)x + i / pairs * (h + 1), (Point<T>*)out + i / pairs * h,
                 (const Point<T>*)table + roots, h, i % pairs, T(inside), conjugates);
}

// All passes of some rows at a time, which stay in a core's caches. `kind`: 0 of complex numbers; 1 of real ones, whose
// rows are unpacked; 2 packs rows before. `scratch`: `group` rows for each block.
template <class T>
__global__ void __launch_bounds__(kFftThreads)
    fft_rows(const Chain chain, const T* x, T* out, T* scratch, const T* table, long long roots, long long group,
             int kind, double inside, int conjugates) {
  const Pass& first_pass = chain.passes[0];
  const long long n = first_pass.m * first_pass.l, h = n;
  const long long groups = (chain.outer + group - 1) / group;
  const Point<T>* circle = (const Point<T>*)table + roots;
  T* own = scratch + 2 * n * group * blockIdx.x;
  for (long long g = groups * blockIdx.x / gridDim.x; g < groups * (blockIdx.x + 1) / gridDim.x; g++) {
    const long long begin = g * group, rows = begin + group < chain.outer ? group : chain.outer - begin;
    const T* from = x + 2 * begin * chain.read_rows;
    T* to = out + 2 * begin * chain.write_rows;
    long long from_rows = chain.read_rows;
    if (kind == 2) {
      for (long long row = 0; row < rows; row++)
        for (long long k = threadIdx.x; k <= h / 2; k += blockDim.x)
          pack_pair<T>((const Point<T>*)from + row * chain.read_rows, (Point<T>*)own + row * h, circle, h, k, T(inside),
                       conjugates);
      __syncthreads();
      from = own;
      from_rows = n;
    }
    for (int which = 0; which < chain.count; which++) {
      const Pass& pass = chain.passes[which];
      // The last pass writes where it reads, or to where the result belongs.
      const bool to_own = which + 1 < chain.count && from != own;
      T* target = to_own ? own : to;
      const long long target_rows = to_own ? n : chain.write_rows;
      run_pass<T>(chain, which, from, from_rows, target, target_rows, table, 0, rows * pass.s * pass.l);
      __syncthreads();
      from = target;
      from_rows = target_rows;
    }
    if (kind == 1) {
      for (long long row = 0; row < rows; row++)
        for (long long k = threadIdx.x; k <= h / 2; k += blockDim.x)
          unpack_pair<T>((Point<T>*)to + row * chain.write_rows, circle, h, k, T(inside), conjugates);
      __syncthreads();
    }
  }
}

// Rows of half the length and one more, and rows of n: `kind` 0, x's halves of out; 1, all of out from the halves,
// whose ends are real; 2, x real with zeros beside it; 3, its real parts.
template <class T>
__global__ void fft_convert(const T* x, T* out, long long rows, long long n, int kind, double inside, int conjugates) {
  long long half = n / 2 + 1, width = kind == 0 ? half : n, count = rows * width;
  long long step = (long long)gridDim.x * blockDim.x;
  T sign = conjugates ? T(-1) : T(1);
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    long long row = i / width, k = i % width;
    bool is_end = k == 0 || 2 * k == n;
    T factor = is_end ? T(1) : T(inside);
    if (kind == 0) {
      const T* from = x + 2 * (row * n + k);
      out[2 * i] = from[0] * factor;
      out[2 * i + 1] = from[1] * factor * sign;
    } else if (kind == 1) {
      bool is_mirrored = 2 * k > n;
      const T* from = x + 2 * (row * half + (is_mirrored ? n - k : k));
      out[2 * i] = from[0] * factor;
      out[2 * i + 1] = is_end ? T(0) : from[1] * factor * (is_mirrored ? -sign : sign);
    } else if (kind == 2) {
      out[2 * i] = x[i];
      out[2 * i + 1] = T(0);
    } else {
      out[i] = x[2 * i];
    }
  }
}

// Bluestein: X[k] = a[k] · Σ x[j]·a[j] · conj(a[k − j]) with a[j] = exp(−πi·j²/n), a convolution of a length m that has
// small factors. `begin`: x·a, with zeros behind; `multiply`: by the transform of conj(a); `end`: the rest.
template <class T>
__global__ void fft_begin(const T* x, T* out, const T* a, long long outer, long long n, long long m, long long inner,
                          int swaps) {
  long long count = outer * m * inner, step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    long long j = i / inner % m;
    Point<T> z{T(0), T(0)};
    if (j < n) {
      z = ((const Point<T>*)x)[(i / inner / m * n + j) * inner + i % inner];
      if (swaps) swap_parts(z);
      z = times(z, a[2 * j], a[2 * j + 1]);
    }
    ((Point<T>*)out)[i] = z;
  }
}
// conj(a) around 0: of −n + 1 to n − 1, which is round m.
template <class T>
__global__ void fft_chirp(const T* a, T* out, long long n, long long m) {
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < m; i += step) {
    long long j = i < n ? i : m - i;
    out[2 * i] = j < n ? a[2 * j] : T(0);
    out[2 * i + 1] = j < n ? -a[2 * j + 1] : T(0);
  }
}
template <class T>
__global__ void fft_multiply(T* out, const T* factors, long long outer, long long m, long long inner) {
  long long count = outer * m * inner, step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    Point<T> factor = ((const Point<T>*)factors)[i / inner % m];
    ((Point<T>*)out)[i] = times(((const Point<T>*)out)[i], factor.re, factor.im);
  }
}
template <class T>
__global__ void fft_end(const T* x, T* out, const T* a, long long outer, long long n, long long m, long long inner,
                        double scale, int swaps) {
  long long count = outer * n * inner, step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    long long k = i / inner % n;
    Point<T> z = ((const Point<T>*)x)[(i / inner / n * m + k) * inner + i % inner];
    z = times(z, a[2 * k], a[2 * k + 1]);
    z = {z.re * T(scale), z.im * T(scale)};
    if (swaps) swap_parts(z);
    ((Point<T>*)out)[i] = z;
  }
}

// In place: all by `scale`, those of rows of `width` that are not the first, or the last of an even n, by `inside` too.
template <class T>
__global__ void fft_scale(const T* x, T* out, long long count, long long width, long long n, double scale,
                          double inside, int conjugates) {
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    long long k = i % width;
    T factor = T(k == 0 || 2 * k == n ? scale : scale * inside);
    out[2 * i] = x[2 * i] * factor;
    out[2 * i + 1] = x[2 * i + 1] * (conjugates ? -factor : factor);
  }
}
