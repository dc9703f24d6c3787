// Steps of recurrent layers: what follows the product of the state before with the layer's weight, and its gradient.
// A block takes rows of the batch, its threads columns. Matrices lie row-major and without gaps.
#include <warpcell/functors/gates.cuh>

using namespace warpcell;

// Calls each(column) for this block's columns of a row.
template <class Each>
__device__ inline void for_columns(long long width, Each each) {
#ifdef WARPCELL_SERIAL
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long j = 0; j < width; j++) each(j);
#else
  for (long long j = threadIdx.x; j < width; j += blockDim.x) each(j);
#endif
}

// given, product and gates: [rows, 4 · width] with the input, forget, cell and output gate side by side. `gates` keeps
// what came out of them. cell, hidden and next: [rows, width].
template <class T>
__global__ void lstm_step(const T* given, const T* product, const T* cell, T* hidden, T* next, T* gates, long long rows,
                          long long width) {
  using W = Wide<T>;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const T *x = given + row * 4 * width, *h = product + row * 4 * width;
    T* kept = gates + row * 4 * width;
    for_columns(width, [=](long long j) {
      auto sum = [=](int gate) { return widen<T>(x[gate * width + j]) + widen<T>(h[gate * width + j]); };
      W in = Sigmoid::of(sum(0)), forget = Sigmoid::of(sum(1)), candidate = Tanh::of(sum(2)), out = Sigmoid::of(sum(3));
      W state = forget * widen<T>(cell[row * width + j]) + in * candidate;
      next[row * width + j] = narrow<T>(state);
      hidden[row * width + j] = narrow<T>(out * Tanh::of(state));
      kept[j] = narrow<T>(in);
      kept[width + j] = narrow<T>(forget);
      kept[2 * width + j] = narrow<T>(candidate);
      kept[3 * width + j] = narrow<T>(out);
    });
  }
}

// `above`: the gradient of this step's hidden state as a result, `later`: as what the step after it was given,
// `of_cell`: that of its cell as a result; each may be null. `flow` [rows, width] is the gradient of the cell from the
// step after, or 0 where `is_last`, and becomes that of the cell before. slopes: of what went into the gates.
template <class T>
__global__ void lstm_step_gradient(const T* above, const T* later, const T* of_cell, const T* gates, const T* cell,
                                   const T* next, Wide<T>* flow, T* slopes, int is_last, long long rows,
                                   long long width) {
  using W = Wide<T>;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* kept = gates + row * 4 * width;
    T* to = slopes + row * 4 * width;
    for_columns(width, [=](long long j) {
      const long long at = row * width + j;
      W in = widen<T>(kept[j]), forget = widen<T>(kept[width + j]), candidate = widen<T>(kept[2 * width + j]),
        out = widen<T>(kept[3 * width + j]);
      W h = W(0), c = is_last ? W(0) : flow[at];
      if (above != nullptr) h += widen<T>(above[at]);
      if (later != nullptr) h += widen<T>(later[at]);
      if (of_cell != nullptr) c += widen<T>(of_cell[at]);
      W seen = Tanh::of(widen<T>(next[at]));
      c += h * out * (W(1) - seen * seen);
      to[j] = narrow<T>(c * candidate * in * (W(1) - in));
      to[width + j] = narrow<T>(c * widen<T>(cell[at]) * forget * (W(1) - forget));
      to[2 * width + j] = narrow<T>(c * in * (W(1) - candidate * candidate));
      to[3 * width + j] = narrow<T>(h * seen * out * (W(1) - out));
      flow[at] = c * forget;
    });
  }
}

// given and product: [rows, 3 · width] with the reset, update and new gate side by side; the bias, or null, belongs to
// the product. `gates` [rows, 4 · width] keeps what came out of them, and the product's part of the new gate.
template <class T>
__global__ void gru_step(const T* given, const T* product, const T* bias, const T* before, T* hidden, T* gates,
                         long long rows, long long width) {
  using W = Wide<T>;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const T *x = given + row * 3 * width, *h = product + row * 3 * width;
    T* kept = gates + row * 4 * width;
    for_columns(width, [=](long long j) {
      auto own = [=](int gate) {
        W value = widen<T>(h[gate * width + j]);
        return bias == nullptr ? value : value + widen<T>(bias[gate * width + j]);
      };
      W reset = Sigmoid::of(widen<T>(x[j]) + own(0)), update = Sigmoid::of(widen<T>(x[width + j]) + own(1));
      W past = own(2), fresh = Tanh::of(widen<T>(x[2 * width + j]) + reset * past);
      hidden[row * width + j] = narrow<T>(fresh + update * (widen<T>(before[row * width + j]) - fresh));
      kept[j] = narrow<T>(reset);
      kept[width + j] = narrow<T>(update);
      kept[2 * width + j] = narrow<T>(fresh);
      kept[3 * width + j] = narrow<T>(past);
    });
  }
}

// As of lstm_step_gradient; `flow` is the gradient of the hidden state that reaches it past the gates. slopes: of what
// was given, own_slopes: of the product.
template <class T>
__global__ void gru_step_gradient(const T* above, const T* later, const T* gates, const T* before, Wide<T>* flow,
                                  T* slopes, T* own_slopes, int is_last, long long rows, long long width) {
  using W = Wide<T>;
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* kept = gates + row * 4 * width;
    T *to = slopes + row * 3 * width, *own = own_slopes + row * 3 * width;
    for_columns(width, [=](long long j) {
      const long long at = row * width + j;
      W reset = widen<T>(kept[j]), update = widen<T>(kept[width + j]), fresh = widen<T>(kept[2 * width + j]),
        past = widen<T>(kept[3 * width + j]);
      W h = is_last ? W(0) : flow[at];
      if (above != nullptr) h += widen<T>(above[at]);
      if (later != nullptr) h += widen<T>(later[at]);
      W of_fresh = h * (W(1) - update) * (W(1) - fresh * fresh);
      W of_reset = of_fresh * past * reset * (W(1) - reset);
      W of_update = h * (widen<T>(before[at]) - fresh) * update * (W(1) - update);
      to[j] = own[j] = narrow<T>(of_reset);
      to[width + j] = own[width + j] = narrow<T>(of_update);
      to[2 * width + j] = narrow<T>(of_fresh);
      own[2 * width + j] = narrow<T>(of_fresh * reset);
      flow[at] = h * update;
    });
  }
}
