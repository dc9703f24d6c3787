// Keys and values of new tokens, written behind those that a cache has: both in one launch.
#include <warpcell/attention/problem.cuh>
#include <warpcell/map.cuh>

using namespace warpcell;
using attention::Steps;

// Row `line` of [batch, head, row] of one of both, whose cache has room for `capacity` rows of each head.
template <class T>
struct Added {
  const T* from;
  T* to;
  Steps steps;
  long long heads, rows, width, capacity, first;

  __device__ inline const T* source(long long line) const {
    const long long row = line % rows, head = line / rows % heads, batch = line / rows / heads;
    return from + steps.at(batch, head) + row * steps.token;
  }
  __device__ inline T* target(long long line) const {
    return to + (line / rows * capacity + first + line % rows) * width;
  }
};

// `lines`: rows of all heads. T stands for every dtype of its size.
template <class T>
__global__ void append(const T* k, const T* v, T* keys, T* values, long long lines, long long heads, long long rows,
                       long long width, long long value_width, long long k_batch, long long k_head, long long k_token,
                       long long v_batch, long long v_head, long long v_token, long long capacity, long long first) {
  const Added<T> key{k, keys, {k_batch, k_head, k_token}, heads, rows, width, capacity, first};
  const Added<T> value{v, values, {v_batch, v_head, v_token}, heads, rows, value_width, capacity, first};
#ifdef WARPCELL_SERIAL
  const Span span = block_span(lines);
  for (long long line = span.begin; line < span.end; line++) {
    for (long long i = 0; i < width; i++) key.target(line)[i] = key.source(line)[i];
    for (long long i = 0; i < value_width; i++) value.target(line)[i] = value.source(line)[i];
  }
#else
  const long long index = global_index(), own = lines * width;
  if (index < own)
    key.target(index / width)[index % width] = key.source(index / width)[index % width];
  else if (index < own + lines * value_width)
    value.target((index - own) / value_width)[(index - own) % value_width] =
        value.source((index - own) / value_width)[(index - own) % value_width];
#endif
}
