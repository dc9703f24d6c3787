// Attention on a processor: blocks of queries, or of keys, lie side by side in vectors, and what they meet is broadcast
// as it lies in memory, so that nothing but a block is turned. Sums, powers and maxima then go from vector to vector.
#pragma once
#include "bend.cuh"
#include "problem.cuh"

#ifdef WARPCELL_SERIAL
namespace warpcell::attention {

// Registers hold `kVectors` vectors of a line by `kLines` lines at a time.
#ifdef __AVX512F__
constexpr int kVectorBytes = 64, kVectors = 4, kLines = 6;
#else
constexpr int kVectorBytes = 32, kVectors = 2, kLines = 6;
#endif
template <class A>
constexpr int kWidth = kVectorBytes / int(sizeof(A));
// Columns of which sums of queries have whole groups: the library allocates for them, whatever the processor's vectors.
template <class A>
constexpr int kColumnGroup = 64 / int(sizeof(A));
// Queries or keys side by side, and lines of a tile.
template <class A>
constexpr int kLanes = 256 / int(sizeof(A));
constexpr int kTileLines = 64;

template <class A>
using Vector = A __attribute__((vector_size(kVectorBytes)));
template <class A>
inline WARPCELL_INLINED Vector<A> load(const A* from) {
  Vector<A> vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class A>
inline WARPCELL_INLINED void store(A* to, const Vector<A>& vector) {
  __builtin_memcpy(to, &vector, sizeof vector);
}

// out[line][·] += Σ_d x[line][d] · columns[d][·] for `lines` lines of `V` vectors; without `adds` it is set.
template <int lines, int V, bool adds, class A>
inline WARPCELL_INLINED void multiply_lines(const A* __restrict x, long long line_step, long long depth_step,
                                            const A* __restrict columns, int column_step, int depth, A* __restrict out,
                                            int out_step) {
  constexpr int W = kWidth<A>;
  Vector<A> sums[lines][V];
#pragma GCC unroll 8
  for (int line = 0; line < lines; line++)
#pragma GCC unroll 8
    for (int v = 0; v < V; v++) {
      if constexpr (adds)
        sums[line][v] = load(out + line * out_step + v * W);
      else
        sums[line][v] = Vector<A>{};
    }
  for (int d = 0; d < depth; d++) {
    Vector<A> column[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; v++) column[v] = load(columns + d * column_step + v * W);
#pragma GCC unroll 8
    for (int line = 0; line < lines; line++) {
      const A one = x[line * line_step + d * depth_step];
#pragma GCC unroll 8
      for (int v = 0; v < V; v++) sums[line][v] += column[v] * one;
    }
  }
#pragma GCC unroll 8
  for (int line = 0; line < lines; line++)
#pragma GCC unroll 8
    for (int v = 0; v < V; v++) store<A>(out + line * out_step + v * W, sums[line][v]);
}

template <int V, bool adds, class A>
inline void multiply_columns(const A* x, long long line_step, long long depth_step, const A* columns, int column_step,
                             int depth, int lines, A* out, int out_step) {
  int line = 0;
  for (; line + kLines <= lines; line += kLines)
    multiply_lines<kLines, V, adds>(x + line * line_step, line_step, depth_step, columns, column_step, depth,
                                    out + line * out_step, out_step);
  for (; line + 2 <= lines; line += 2)
    multiply_lines<2, V, adds>(x + line * line_step, line_step, depth_step, columns, column_step, depth,
                               out + line * out_step, out_step);
  if (line < lines)
    multiply_lines<1, V, adds>(x + line * line_step, line_step, depth_step, columns, column_step, depth,
                               out + line * out_step, out_step);
}

// out[line][lane] (+)= Σ_d x[line · line_step + d · depth_step] · columns[d][lane] for `lanes` lanes, whole vectors.
template <bool adds, class A>
inline void multiply(const A* x, long long line_step, long long depth_step, const A* columns, int column_step,
                     int depth, int lines, int lanes, A* out, int out_step) {
  constexpr int W = kWidth<A>;
  int lane = 0;
  for (; lane + kVectors * W <= lanes; lane += kVectors * W)
    multiply_columns<kVectors, adds>(x, line_step, depth_step, columns + lane, column_step, depth, lines, out + lane,
                                     out_step);
  for (; lane < lanes; lane += W)
    multiply_columns<1, adds>(x, line_step, depth_step, columns + lane, column_step, depth, lines, out + lane,
                              out_step);
}

constexpr int whole_vectors(int count, int width) { return (count + width - 1) / width * width; }

// e^x for x ≤ 0; what is below e^−87 is 0, beside a sum of at least 1.
inline WARPCELL_INLINED float power(float x) {
  const float bounded = float_math::at_least(x, -87.0f);
  return float_math::pick(x < -87.0f, 0.0f, float_math::exp_within(bounded));
}
inline WARPCELL_INLINED double power(double x) { return fn::exp(x); }

// Rows of a tensor, as A: where they lie, or widened into `room`, whose rows are `width` apart.
template <class A>
struct Lines {
  const A* first;
  long long step;
};
template <class T, class A = Sum<T>>
inline Lines<A> lines_of(const T* rows, long long step, int count, int width, A* room) {
  if constexpr (same<T, A>) return {rows, step};
  for (int row = 0; row < count; row++)
    for (int d = 0; d < width; d++) room[row * width + d] = widen<T>(rows[row * step + d]);
  return {room, width};
}

// room[d][lane] = rows[lane][d]; lanes beyond `count` are 0.
template <class T, class A = Sum<T>>
inline void turn(const T* rows, long long step, int count, int width, A* room) {
  constexpr int L = kLanes<A>;
  for (int d = 0; d < width; d++) {
    A* to = room + d * L;
    for (int lane = 0; lane < count; lane++) to[lane] = widen<T>(rows[lane * step + d]);
    for (int lane = count; lane < L; lane++) to[lane] = A(0);
  }
}
// rows[lane][d] = room[d][lane] · factors[lane]
template <class T, class A = Sum<T>>
inline void turn_back(T* rows, long long step, int count, int width, const A* room, const A* factors) {
  constexpr int L = kLanes<A>;
  for (int lane = 0; lane < count; lane++)
    for (int d = 0; d < width; d++) rows[lane * step + d] = narrow<T>(room[d * L + lane] * factors[lane]);
}

// A tile of pairs: lines of keys by lanes of queries, or of queries by lanes of keys.
struct Pairs {
  const Problem& problem;
  long long batch, head;
  long long line, lane;  // the first of each
  int lines, lanes;      // how many there are
  bool lanes_are_queries;

  inline long long query() const { return lanes_are_queries ? lane : line; }
  inline long long key() const { return lanes_are_queries ? line : lane; }
  inline long long row() const { return (batch * problem.heads + head) * problem.queries + query(); }

  template <class T>
  inline const T* mask_of(const void* mask) const {
    return (const T*)mask + problem.mask_at(batch, head) + query() * problem.mask_query + key() * problem.mask_key;
  }
};

// Bends scores, and multiplies their derivatives.
template <class A, class Bend>
inline void bend_scores(const Pairs& at, A* tile, A* slopes, const Bend& bend) {
  constexpr int L = kLanes<A>;
  for (int line = 0; line < at.lines; line++)
    for (int lane = 0; lane < at.lanes; lane++) {
      const long long query = at.query() + (at.lanes_are_queries ? lane : line),
                      key = at.key() + (at.lanes_are_queries ? line : lane);
      A& score = tile[line * L + lane];
      if (slopes != nullptr) slopes[line * L + lane] *= bend.slope(score, at.batch, at.head, query, key);
      score = bend.of(score, at.batch, at.head, query, key);
    }
}

// What becomes of q·k: scaled, capped, bent, the mask added, and −∞ where a query does not look. `slopes` gets, where
// there is a cap or a bend and it is not null, the derivative of both.
template <class T, class Bend, class A = Sum<T>>
inline void score(const Pairs& at, const void* mask, A* tile, A* slopes, const Bend& bend) {
  constexpr int L = kLanes<A>;
  const Problem& p = at.problem;
  const int lanes = at.lanes, count = at.lines * L;
  const A scale = A(p.scale), below = minus_infinity<A>();
  if (p.softcap != 0) {
    const A cap = A(p.softcap), share = A(p.scale / p.softcap);
    for (int i = 0; i < count; i++) {
      const A part = fn::tanh(tile[i] * share);
      tile[i] = cap * part;
      if (slopes != nullptr) slopes[i] = A(1) - part * part;
    }
  } else {
    for (int i = 0; i < count; i++) tile[i] *= scale;
    if (Bend::kIsBent && slopes != nullptr)
      for (int i = 0; i < count; i++) slopes[i] = A(1);
  }
  if constexpr (Bend::kIsBent) bend_scores(at, tile, slopes, bend);
  if (p.mask_kind != kNoMask) {
    const long long line_step = at.lanes_are_queries ? p.mask_key : p.mask_query,
                    lane_step = at.lanes_are_queries ? p.mask_query : p.mask_key;
    for (int line = 0; line < at.lines; line++) {
      A* to = tile + line * L;
      if (p.mask_kind == kMayLook) {
        const uchar* sees = at.template mask_of<uchar>(mask) + line * line_step;
        for (int lane = 0; lane < lanes; lane++) to[lane] = sees[lane * lane_step] ? to[lane] : below;
      } else {
        const T* added = at.template mask_of<T>(mask) + line * line_step;
        for (int lane = 0; lane < lanes; lane++) to[lane] += widen<T>(added[lane * lane_step]);
      }
    }
  }
  const bool sees_all = at.lanes_are_queries ? p.sees_all(at.lane, lanes, at.line, at.lines)
                                             : p.sees_all(at.line, at.lines, at.lane, lanes);
  if (!sees_all || lanes < L) {
    // Within a tile the distances are small numbers.
    constexpr long long kFar = 1 << 20;
    const auto near = [=](long long x) { return int(x < -kFar ? -kFar : x > kFar ? kFar : x); };
    const int first = near(p.first + at.query() - at.key()), last = near(p.last + at.query() - at.key());
    for (int line = 0; line < at.lines; line++) {
      A* to = tile + line * L;
      // key − query, less those of the first pair, is line − lane or lane − line.
      const int least = at.lanes_are_queries ? line - last : line + first,
                most = at.lanes_are_queries ? line - first : line + last;
      for (int lane = 0; lane < L; lane++)
        to[lane] = fn::pick((lane >= least) & (lane <= most) & (lane < lanes), to[lane], below);
    }
  }
}

// Sets the weights that are dropped to 0 and multiplies the others.
template <class A>
inline void drop(const Pairs& at, A* tile) {
  constexpr int L = kLanes<A>;
  const Dropping dropping(at.problem);
  const A kept = kept_scale<A>(at.problem);
  const int queries = at.lanes_are_queries ? at.lanes : at.lines, keys = at.lanes_are_queries ? at.lines : at.lanes;
  const int query_step = at.lanes_are_queries ? 1 : L, key_step = at.lanes_are_queries ? L : 1;
  // Tiles begin at whole counters.
  for (int query = 0; query < queries; query++)
    for (int key = 0; key < keys; key += 4) {
      const Words words = dropping.words(at.row() + query, (at.key() + key) / 4);
      for (int word = 0; word < 4 && key + word < keys; word++)
        tile[query * query_step + (key + word) * key_step] *= dropping.drops(words.word[word]) ? A(0) : kept;
    }
}

}  // namespace warpcell::attention
#endif
