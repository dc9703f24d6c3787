// Factors of many small matrices, and what is solved with them. On a GPU a team of threads has a matrix: as many lanes
// of a warp as it has rows, or a block of two warps. Each thread has a line of it in registers, which lose their first
// element at every step, so that all stand under names; what others must see goes through shared memory. Matrices are
// row-major; factors L · U are those that LAPACK's getrf makes of the transposes.
#include <warpcell/map.cuh>

using namespace warpcell;

constexpr int kMostRows = 64;
// On a GPU: threads of a block whose teams are parts of warps, and right-hand sides that a team solves for at once.
constexpr int kThreads = 128, kSides = 8;

// How matrices lie.
struct Steps {
  long long matrix, row, column;
};

// Orders magnitudes; NaN is above all of them.
__device__ inline long long magnitude(float x) { return __float_as_int(x) & 0x7fffffff; }
__device__ inline long long magnitude(double x) { return __double_as_longlong(x) & 0x7fffffffffffffffll; }

#ifdef WARPCELL_SERIAL
inline Span share_of(long long count) {
  return {(long long)blockIdx.x * count / gridDim.x, ((long long)blockIdx.x + 1) * count / gridDim.x};
}

// y := the solution of t · x = y for a triangle t, whose element (i, k) is t[i * row_step + k * column_step].
template <class T>
inline void substitute(const T* t, long long row_step, long long column_step, bool is_upper, bool is_unit, T* y, int n,
                       long long sides) {
  for (int step = 0; step < n; step++) {
    const int k = is_upper ? n - 1 - step : step;
    T* solved = y + k * sides;
    if (!is_unit) {
      const T pivot = t[k * (row_step + column_step)];
      for (long long c = 0; c < sides; c++) solved[c] /= pivot;
    }
    for (int i = is_upper ? 0 : k + 1; i < (is_upper ? k : n); i++) {
      const T factor = t[i * row_step + k * column_step];
      T* line = y + i * sides;
#pragma GCC ivdep
      for (long long c = 0; c < sides; c++) line[c] -= factor * solved[c];
    }
  }
}

// Fills `to` with a matrix, or with 1 on the diagonal where there is none.
template <class T>
inline void take(const T* from, T* to, int rows, long long columns, const Steps& steps) {
  for (int i = 0; i < rows; i++)
    for (long long j = 0; j < columns; j++)
      to[i * columns + j] = from == nullptr ? T(i == j) : from[i * steps.row + j * steps.column];
}
#else
template <int N>
constexpr int kBlock = N > 32 ? N : kThreads;
template <int N>
constexpr int kTeams = kBlock<N> / N;
constexpr int kChunk = 8;
// Lines of a matrix in shared memory begin in different banks; a chunk may be read beyond its end.
template <int N>
constexpr int kStride = N + 1;
template <int N>
constexpr int kTile = N * kStride<N> + kChunk;

// The N threads of a block that have a matrix together.
template <int N>
struct Team {
  int number, own;
  __device__ inline Team() : number(threadIdx.x / N), own(threadIdx.x % N) {}
  __device__ inline void sync() const {
    if constexpr (N > 32)
      __syncthreads();
    else
      __syncwarp();
  }
};

// line[r - 1] = line[r] - factor * by[r] for 0 < r < length, which is the same for all threads of a block.
template <int N, class T>
__device__ inline void subtract(T (&line)[N], T factor, const T* by, int length) {
#pragma unroll
  for (int first = 0; first < N; first += kChunk) {
    if (first >= length) break;
#pragma unroll
    for (int r = first; r < first + kChunk; r++)
      if (r > 0) line[r - 1] = line[r] - factor * by[r];
  }
}

template <int N, class T>
__device__ inline void store(const T (&line)[N], T* to, int length) {
#pragma unroll
  for (int r = 0; r < N; r++)
    if (r < length) to[r] = line[r];
}

// The thread of a team with the largest magnitude, of equal ones the first position; `seen`: memory for two.
struct Candidate {
  long long magnitude;
  int position;
  __device__ inline Candidate better(const Candidate& other) const {
    const bool is_other = other.magnitude > magnitude || (other.magnitude == magnitude && other.position < position);
    return is_other ? other : *this;
  }
};
template <int N>
__device__ inline Candidate best_of(Candidate mine, const Team<N>& team, Candidate* seen) {
  for (int step = (N > 32 ? 32 : N) / 2; step > 0; step /= 2)
    mine = mine.better({__shfl_xor_sync(~0u, mine.magnitude, step), __shfl_xor_sync(~0u, mine.position, step)});
  if constexpr (N > 32) {
    if (team.own % 32 == 0) seen[team.own / 32] = mine;
    __syncthreads();
    mine = seen[0].better(seen[1]);
  }
  return mine;
}

// y := of the solution of t · x = y the row of this thread, for a triangle t in shared memory, whose element (i, k) is
// t[i * row_step + k * column_step]. `lines`: memory for two rows.
template <int N, class T>
__device__ inline void substitute(const T* t, int row_step, int column_step, bool is_upper, bool is_unit,
                                  T (&y)[kSides], T (*lines)[kSides], int n, const Team<N>& team) {
  const int own = team.own;
  for (int step = 0; step < n; step++) {
    const int k = is_upper ? n - 1 - step : step;
    T* line = lines[step & 1];
    if (own == k) {
      const T pivot = is_unit ? T(1) : t[k * (row_step + column_step)];
#pragma unroll
      for (int c = 0; c < kSides; c++) line[c] = y[c] = is_unit ? y[c] : y[c] / pivot;
    }
    team.sync();
    if (own < n && (is_upper ? own < k : own > k)) {
      const T factor = t[own * row_step + k * column_step];
#pragma unroll
      for (int c = 0; c < kSides; c++) y[c] -= factor * line[c];
    }
  }
}

// The part of the right-hand sides that a team solves for.
struct Part {
  long long matrix, first;
  bool is_there;
  __device__ inline Part(long long number, long long count, long long sides) {
    const long long parts = (sides + kSides - 1) / kSides;
    is_there = number < count * parts;
    matrix = is_there ? number / parts : 0;
    first = is_there ? number % parts * kSides : 0;
  }
};

// Row `row` of a part of b, or of a unit matrix where there is none.
template <class T>
__device__ inline void take(const T* b, const Steps& steps, const Part& part, long long sides, int row, bool is_there,
                            T (&y)[kSides]) {
  const T* from = b + part.matrix * steps.matrix + row * steps.row;
#pragma unroll
  for (int c = 0; c < kSides; c++) {
    const long long side = part.first + c;
    y[c] = !is_there || side >= sides ? T(0) : b == nullptr ? T(row == side) : from[side * steps.column];
  }
}
template <class T>
__device__ inline void give(const T (&y)[kSides], T* out, const Part& part, long long sides, int n, int row) {
  T* to = out + (part.matrix * n + row) * sides + part.first;
#pragma unroll
  for (int c = 0; c < kSides; c++)
    if (part.first + c < sides) to[c] = y[c];
}
#endif

// out = l of in = l · lᵀ, from the lower triangles; status: the order of the first leading minor that is not positive,
// else 0.
template <class T, int N>
__global__ void __launch_bounds__(kThreads)
    small_cholesky(const T* in, T* out, int* status, long long count, int n, long long matrix_step, long long row_step,
                   long long column_step) {
#ifdef WARPCELL_SERIAL
  // lᵀ, of whose rows the loops go along.
  T upper[N * N];
  const Span span = share_of(count);
  for (long long matrix = span.begin; matrix < span.end; matrix++) {
    const T* x = in + matrix * matrix_step;
    T* l = out + matrix * n * n;
    int failed = 0;
    for (int i = 0; i < n; i++)
      for (int j = i; j < n; j++) upper[i * n + j] = x[j * row_step + i * column_step];
    for (int k = 0; k < n; k++) {
      T* line = upper + k * n;
      if (!(line[k] > 0) && failed == 0) failed = k + 1;
      const T root = sqrt(line[k]);
      for (int j = k; j < n; j++) line[j] /= root;
      for (int i = k + 1; i < n; i++) {
        T* other = upper + i * n;
#pragma GCC ivdep
        for (int j = i; j < n; j++) other[j] -= line[i] * line[j];
      }
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) l[i * n + j] = j <= i ? upper[j * n + i] : T(0);
    status[matrix] = failed;
  }
#else
  __shared__ T tiles[kTeams<N>][kTile<N>];
  const Team<N> team;
  const int own = team.own;
  T* tile = tiles[team.number];
  const long long matrix = (long long)blockIdx.x * kTeams<N> + team.number;
  const bool is_there = matrix < count && own < n;
  // Of this thread's column what is on and below the diagonal.
  const T* x = in + matrix * matrix_step + own * column_step;
  T line[N];
#pragma unroll
  for (int r = 0; r < N; r++) line[r] = is_there && r < n && r >= own ? x[r * row_step] : T(0);
  int failed = 0;
  for (int k = 0; k < n; k++) {
    T* column = tile + k * kStride<N> + k;
    if (own == k) store(line, column, n - k);
    team.sync();
    const T pivot = column[0];
    if (!(pivot > 0) && failed == 0) failed = k + 1;
    subtract(line, own > k && own < n ? column[own - k] / pivot : T(0), column, n - k);
  }
  if (!is_there) return;
  const T* column = tile + own * kStride<N>;
  const T root = sqrt(column[own]);
  for (int r = 0; r < n; r++) out[(matrix * n + r) * n + own] = r < own ? T(0) : r == own ? root : column[r] / root;
  if (own == 0) status[matrix] = failed;
#endif
}

// factors, pivots: those of the transposes of `in`, as LAPACK's getrf leaves them; status (null: not wanted): the first
// step without a pivot, counted from 1, else 0. NaN counts as the largest, and so comes out.
template <class T, int N>
__global__ void __launch_bounds__(kThreads)
    small_lu(const T* in, T* factors, int* pivots, int* status, long long count, int n, long long matrix_step,
             long long row_step, long long column_step) {
#ifdef WARPCELL_SERIAL
  const Steps steps = {matrix_step, row_step, column_step};
  const Span span = share_of(count);
  for (long long matrix = span.begin; matrix < span.end; matrix++) {
    T* a = factors + matrix * n * n;
    take(in + matrix * matrix_step, a, n, n, steps);
    int failed = 0;
    for (int k = 0; k < n; k++) {
      T* line = a + k * n;
      int best = k;
      for (int j = k + 1; j < n; j++)
        if (magnitude(line[j]) > magnitude(line[best])) best = j;
      pivots[matrix * n + k] = best + 1;
      if (best != k) {
        for (int i = 0; i < n; i++) {
          const T kept = a[i * n + k];
          a[i * n + k] = a[i * n + best];
          a[i * n + best] = kept;
        }
      }
      const T pivot = line[k];
      if (pivot == 0) {
        if (failed == 0) failed = k + 1;
        continue;
      }
      for (int j = k + 1; j < n; j++) line[j] /= pivot;
      for (int i = k + 1; i < n; i++) {
        T* other = a + i * n;
        const T factor = other[k];
#pragma GCC ivdep
        for (int j = k + 1; j < n; j++) other[j] -= factor * line[j];
      }
    }
    if (status != nullptr) status[matrix] = failed;
  }
#else
  __shared__ T tiles[kTeams<N>][kTile<N>];
  __shared__ int lines[kTeams<N>][N];  // which thread has the line that came to a position
  __shared__ Candidate seen[2];
  const Team<N> team;
  const int own = team.own;
  T* tile = tiles[team.number];
  int* at = lines[team.number];
  const long long matrix = (long long)blockIdx.x * kTeams<N> + team.number;
  const bool is_there = matrix < count && own < n;
  // This thread's column, which is a line of the transpose.
  const T* x = in + matrix * matrix_step + own * column_step;
  T line[N];
#pragma unroll
  for (int r = 0; r < N; r++) line[r] = is_there && r < n ? x[r * row_step] : T(0);
  int position = own, failed = 0;
  bool is_waiting = own < n;
  for (int k = 0; k < n; k++) {
    const Candidate best = best_of({is_waiting ? magnitude(line[0]) : -1, position}, team, seen);
    if (is_waiting && position == best.position) {
      store(line, tile + own * kStride<N> + k, n - k);
      at[k] = own;
      position = k;
      is_waiting = false;
      if (is_there) pivots[matrix * n + k] = best.position + 1;
    } else if (position == k) {
      position = best.position;
    }
    team.sync();
    const T* chosen = tile + at[k] * kStride<N> + k;
    const T pivot = chosen[0];
    if (pivot == 0 && failed == 0) failed = k + 1;
    const T factor = is_waiting && pivot != 0 ? line[0] / pivot : T(0);
    if (is_waiting) tile[own * kStride<N> + k] = factor;
    subtract(line, factor, chosen, n - k);
  }
  team.sync();
  if (!is_there) return;
  for (int r = 0; r < n; r++) factors[(matrix * n + r) * n + own] = tile[at[own] * kStride<N> + r];
  if (own == 0 && status != nullptr) status[matrix] = failed;
#endif
}

// out = x of a · x = b or, transposed, aᵀ · x = b, by what small_lu made of a; without b, of a unit matrix.
template <class T, int N>
__global__ void __launch_bounds__(kThreads)
    small_lu_solve(const T* factors, const int* pivots, const T* b, T* out, long long count, int n, long long sides,
                   long long matrix_step, long long row_step, long long column_step, int is_transposed) {
  const Steps steps = {matrix_step, row_step, column_step};
#ifdef WARPCELL_SERIAL
  const Span span = share_of(count);
  for (long long matrix = span.begin; matrix < span.end; matrix++) {
    const T* f = factors + matrix * n * n;
    const int* swaps = pivots + matrix * n;
    T* y = out + matrix * n * sides;
    take(b == nullptr ? b : b + matrix * matrix_step, y, n, sides, steps);
    const auto swap = [&](int k) {
      T *one = y + k * sides, *other = y + (swaps[k] - 1) * sides;
      for (long long c = 0; c < sides && one != other; c++) {
        const T kept = one[c];
        one[c] = other[c];
        other[c] = kept;
      }
    };
    if (is_transposed) {
      for (int k = 0; k < n; k++) swap(k);
      substitute(f, 1, n, false, true, y, n, sides);
      substitute(f, 1, n, true, false, y, n, sides);
    } else {
      substitute(f, n, 1, false, false, y, n, sides);
      substitute(f, n, 1, true, true, y, n, sides);
      for (int k = n - 1; k >= 0; k--) swap(k);
    }
  }
#else
  __shared__ T tiles[kTeams<N>][kTile<N>];
  __shared__ int swaps[kTeams<N>][N];
  __shared__ T lines[kTeams<N>][2][kSides];
  const Team<N> team;
  const int own = team.own;
  T* tile = tiles[team.number];
  const Part part((long long)blockIdx.x * kTeams<N> + team.number, count, sides);
  const bool is_there = part.is_there && own < n;
  if (is_there) {
    for (int r = 0; r < n; r++) tile[r * kStride<N> + own] = factors[(part.matrix * n + r) * n + own];
    swaps[team.number][own] = pivots[part.matrix * n + own] - 1;
  }
  team.sync();
  // Where the swaps bring this thread's row, the last one first; or, the first one first, where its row comes from.
  int moved = own;
  if (is_there) {
    for (int k = n - 1; k >= 0; k--) {
      const int other = swaps[team.number][k];
      moved = moved == k ? other : moved == other ? k : moved;
    }
  }
  T y[kSides];
  take(b, steps, part, sides, is_transposed ? moved : own, is_there, y);
  const int row = is_transposed ? 1 : kStride<N>, column = is_transposed ? kStride<N> : 1;
  substitute(tile, row, column, false, is_transposed != 0, y, lines[team.number], n, team);
  substitute(tile, row, column, true, is_transposed == 0, y, lines[team.number], n, team);
  if (is_there) give(y, out, part, sides, n, is_transposed ? own : moved);
#endif
}

// out = x of a · x = b or, transposed, aᵀ · x = b, for one triangle of a.
template <class T, int N>
__global__ void __launch_bounds__(kThreads)
    small_triangular_solve(const T* a, const T* b, T* out, long long count, int n, long long sides, long long a_matrix,
                           long long a_row, long long a_column, long long matrix_step, long long row_step,
                           long long column_step, int is_upper, int is_transposed, int is_unit) {
  const Steps steps = {matrix_step, row_step, column_step};
  const bool is_above = (is_upper != 0) != (is_transposed != 0);
#ifdef WARPCELL_SERIAL
  const Span span = share_of(count);
  for (long long matrix = span.begin; matrix < span.end; matrix++) {
    T* y = out + matrix * n * sides;
    take(b + matrix * matrix_step, y, n, sides, steps);
    substitute(a + matrix * a_matrix, is_transposed ? a_column : a_row, is_transposed ? a_row : a_column, is_above,
               is_unit != 0, y, n, sides);
  }
#else
  __shared__ T tiles[kTeams<N>][kTile<N>];
  __shared__ T lines[kTeams<N>][2][kSides];
  const Team<N> team;
  const int own = team.own;
  T* tile = tiles[team.number];
  const Part part((long long)blockIdx.x * kTeams<N> + team.number, count, sides);
  const bool is_there = part.is_there && own < n;
  const T* x = a + part.matrix * a_matrix + own * a_column;
  for (int r = 0; r < n && is_there; r++) tile[r * kStride<N> + own] = x[r * a_row];
  T y[kSides];
  take(b, steps, part, sides, own, is_there, y);
  team.sync();
  substitute(tile, is_transposed ? 1 : kStride<N>, is_transposed ? kStride<N> : 1, is_above, is_unit != 0, y,
             lines[team.number], n, team);
  if (is_there) give(y, out, part, sides, n, own);
#endif
}
