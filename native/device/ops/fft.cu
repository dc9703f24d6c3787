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
  run_pass<T>(chain, which, x, x + 2 * chain.outer * read_rows, read_rows, out, write_rows, table, first,
              end < all ? end : all);
}

// `use(row, k, end)` for the elements `k` to `end` of rows of `width`, of which a thread of a GPU has one at a time and
// a core many.
template <class Use>
__device__ inline void each_part(long long rows, long long width, Use use) {
  const long long count = rows * width;
#ifdef WARPCELL_SERIAL
  const long long end = count * (blockIdx.x + 1) / gridDim.x;
  for (long long i = count * blockIdx.x / gridDim.x; i < end;) {
    const long long row = i / width, k = i % width, last = k + end - i < width ? k + end - i : width;
    use(row, k, last);
    i += last - k;
  }
#else
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step)
    use(i / width, i % width, i % width + 1);
#endif
}

// Rows of h points and one more, in place.
template <class T>
__global__ void fft_unpack(T* out, const T* table, long long roots, long long rows, long long h, double inside,
                           int conjugates) {
  each_part(rows, h / 2 + 1, [&](long long row, long long k, long long end) {
    unpack_row<T>((Point<T>*)out + row * (h + 1), (const Point<T>*)table + roots, h, k, end, T(inside), conjugates);
  });
}
template <class T>
__global__ void fft_pack(const T* x, T* out, const T* table, long long roots, long long rows, long long h,
                         double inside, int conjugates) {
  each_part(rows, h / 2 + 1, [&](long long row, long long k, long long end) {
    pack_row<T>((const Point<T>*)x + row * (h + 1), (Point<T>*)out + row * h, (const Point<T>*)table + roots, h, k, end,
                T(inside), conjugates);
  });
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
  const Halves halves{kind, circle, inside, bool(conjugates)};
  const bool is_one = kHasHalves && chain.count == 1;
  for (long long g = groups * blockIdx.x / gridDim.x; g < groups * (blockIdx.x + 1) / gridDim.x; g++) {
    const long long begin = g * group, rows = begin + group < chain.outer ? group : chain.outer - begin;
    const T* from = x + 2 * begin * chain.read_rows;
    T* to = out + 2 * begin * chain.write_rows;
    const T* from_end = x + 2 * chain.outer * chain.read_rows;
    long long from_rows = chain.read_rows;
    if (kind == 2 && !is_one) {
      for (long long row = threadIdx.x; row < rows; row += blockDim.x)
        pack_row<T>((const Point<T>*)from + row * chain.read_rows, (Point<T>*)own + row * h, circle, h, 0, h / 2 + 1,
                    T(inside), conjugates);
      __syncthreads();
      from = own;
      from_end = own + 2 * n * group;
      from_rows = n;
    }
    for (int which = 0; which < chain.count; which++) {
      const Pass& pass = chain.passes[which];
      // The last pass writes where it reads, or to where the result belongs.
      const bool to_own = which + 1 < chain.count && from != own;
      T* target = to_own ? own : to;
      const long long target_rows = to_own ? n : chain.write_rows;
      run_pass<T>(chain, which, from, from_end, from_rows, target, target_rows, table, 0, rows * pass.s * pass.l,
                  is_one ? &halves : nullptr);
      __syncthreads();
      from = target;
      from_end = to_own ? own + 2 * n * group : out + 2 * chain.outer * chain.write_rows;
      from_rows = target_rows;
    }
    if (kind == 1 && !is_one) {
      for (long long row = threadIdx.x; row < rows; row += blockDim.x)
        unpack_row<T>((Point<T>*)to + row * chain.write_rows, circle, h, 0, h / 2 + 1, T(inside), conjugates);
      __syncthreads();
    }
  }
}

// Rows of half the length and one more, and rows of n: `kind` 0, x's halves of out; 1, all of out from the halves,
// whose ends are real; 2, x real with zeros beside it; 3, its real parts.
template <class T>
__global__ void fft_convert(const T* x, T* out, long long rows, long long n, int kind, double inside, int conjugates) {
  const long long half = n / 2 + 1;
  const T sign = conjugates ? T(-1) : T(1), between = T(inside);
  const Point<T>* points = (const Point<T>*)x;
  Point<T>* target = (Point<T>*)out;
  auto is_end = [n](long long k) { return k == 0 || 2 * k == n; };
  each_part(rows, kind == 0 ? half : n, [&](long long row, long long k, long long end) {
    if (kind == 0) {
      for (; k < end; k++) {
        Point<T> z = points[row * n + k];
        const T factor = is_end(k) ? T(1) : between;
        target[row * half + k] = {z.re * factor, z.im * factor * sign};
      }
    } else if (kind == 1) {
      for (; k < end; k++) {
        const bool is_mirrored = 2 * k > n;
        Point<T> z = points[row * half + (is_mirrored ? n - k : k)];
        const T factor = is_end(k) ? T(1) : between;
        target[row * n + k] = {z.re * factor, is_end(k) ? T(0) : z.im * factor * (is_mirrored ? -sign : sign)};
      }
    } else if (kind == 2) {
      for (; k < end; k++) target[row * n + k] = {x[row * n + k], T(0)};
    } else {
      for (; k < end; k++) out[row * n + k] = points[row * n + k].re;
    }
  });
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

// The same of rows one after the other, which stay in a core's caches: `chain` of m points, `factors` the transform of
// conj(a); `scratch`: 2 · m points for each block.
template <class T>
__global__ void __launch_bounds__(kFftThreads)
    fft_convolve(const Chain chain, const T* x, T* out, T* scratch, const T* table, const T* chirp, const T* factors,
                 long long rows, long long n, double scale, int swaps) {
  const long long m = chain.read_rows;
  Point<T>* own = (Point<T>*)scratch + 2 * m * blockIdx.x;
  Point<T>* other = own + m;
  const Point<T>*a = (const Point<T>*)chirp, *by = (const Point<T>*)factors;
  Chain back = chain;
  back.is_inverse = 1;
  back.scale = scale / double(m);
  auto transform = [&](const Chain& of) {
    Point<T>*from = own, *to = other;
    for (int which = 0; which < of.count; which++) {
      const bool stays = which + 1 == of.count && from == own;
      if (stays) to = own;
      const Pass& pass = of.passes[which];
      run_pass<T>(of, which, (const T*)from, (const T*)(from + m), m, (T*)to, m, table, 0, pass.s * pass.l);
      __syncthreads();
      if (stays) return;
      Point<T>* next = from;
      from = to;
      to = next;
    }
  };
  for (long long row = rows * blockIdx.x / gridDim.x; row < rows * (blockIdx.x + 1) / gridDim.x; row++) {
    const Point<T>* in = (const Point<T>*)x + row * n;
    for (long long j = threadIdx.x; j < n; j += blockDim.x) {
      Point<T> z = in[j];
      if (swaps) swap_parts(z);
      own[j] = times(z, a[j].re, a[j].im);
    }
    for (long long j = n + threadIdx.x; j < m; j += blockDim.x) own[j] = {T(0), T(0)};
    __syncthreads();
    transform(chain);
    for (long long j = threadIdx.x; j < m; j += blockDim.x) own[j] = times(own[j], by[j].re, by[j].im);
    __syncthreads();
    transform(back);
    Point<T>* to = (Point<T>*)out + row * n;
    for (long long k = threadIdx.x; k < n; k += blockDim.x) {
      Point<T> z = times(own[k], a[k].re, a[k].im);
      if (swaps) swap_parts(z);
      to[k] = z;
    }
    __syncthreads();
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
