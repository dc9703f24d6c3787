// Steps of optimisers: each reads parameters, their gradients and what is kept of earlier steps, and writes the
// parameters and what is kept, in one pass over all parameters of a list.
#include <warpcell/lists.cuh>
#include <warpcell/math.cuh>

using namespace warpcell;

// Stochastic gradient descent: `kept` is the momentum. Nesterov's goes on by direction = g + momentum · kept, the other
// by kept (Sutskever and others 2013, as PyTorch has it). The first step has the whole gradient.
template <class A>
struct Descent {
  static constexpr int kept = 1;
  A rate, decay, momentum, share, of_gradient, of_kept, steps, later_share;
  __device__ inline void leave_out(A skipped) { share = steps - skipped > A(1) ? later_share : A(1); }
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] = momentum * kept[0] + share * gradient;
    return weight - rate * (of_gradient * gradient + of_kept * kept[0]);
  }
};
// The same without momentum, of which nothing is kept.
template <class A>
struct PlainDescent {
  static constexpr int kept = 0;
  A rate, decay;
  __device__ inline void leave_out(A) {}
  __device__ inline A operator()(A weight, A gradient, A*) const { return weight - rate * (gradient + decay * weight); }
};
// Adam (Kingma and Ba, arXiv 1412.6980, algorithm 1): means of gradients and of their squares. `decay` adds to the
// gradient, `shrink` takes from the weight (Loshchilov and Hutter, arXiv 1711.05101); `rate` and `root` have the
// corrections of the means' bias, which a device makes itself once steps have been skipped.
template <class A>
struct Adam {
  static constexpr int kept = 2;
  A rate, root, eps, decay, shrink, mean_share, square_keep, square_share, plain_rate, steps, log_mean, log_square;
  __device__ inline void leave_out(A skipped) {
    if (skipped == A(0)) return;
    const A taken = steps - skipped;
    rate = plain_rate / -fn::expm1(taken * log_mean);
    root = A(1) / fn::sqrt(-fn::expm1(taken * log_square));
  }
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] += mean_share * (gradient - kept[0]);
    kept[1] = square_keep * kept[1] + square_share * gradient * gradient;
    return weight * shrink - rate * kept[0] / (fn::sqrt(kept[1]) * root + eps);
  }
};

// RMSProp (Hinton's lecture 6e, as PyTorch has it): the gradient over the root of the mean of its squares, kept[0], and
// with N = 2 a momentum of that, kept[1].
template <class A, int N>
struct RootMeanSquare {
  static constexpr int kept = N;
  A rate, square_keep, square_share, eps, decay, momentum;
  __device__ inline void leave_out(A) {}
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] = square_keep * kept[0] + square_share * gradient * gradient;
    A direction = gradient / (fn::sqrt(kept[0]) + eps);
    if constexpr (N > 1) direction = kept[1] = momentum * kept[1] + direction;
    return weight - rate * direction;
  }
};

// The weights of a row where they are kept twice: as they are used, and wider, as they are changed.
template <class T>
struct Weights {
  using A = Sum<T>;
  T* used;
  A* master;
  __device__ inline A read(long long i) const { return master ? master[i] : A(widen<T>(used[i])); }
  __device__ inline void write(long long i, A value) const {
    used[i] = narrow<T>(value);
    if (master) master[i] = value;
  }
};

template <class T, class Rule>
__device__ inline void update_piece(const Piece& piece, T* weights, const T* gradients, Sum<T>* master, Sum<T>* first,
                                    Sum<T>* second, Rule rule) {
  using A = Sum<T>;
  auto one = [=](long long i, auto both) {
    A kept[2];
    if constexpr (Rule::kept > 0) kept[0] = first[i];
    if constexpr (Rule::kept > 1) kept[1] = second[i];
    both.write(i, rule(both.read(i), A(widen<T>(gradients[i])), kept));
    if constexpr (Rule::kept > 0) first[i] = kept[0];
    if constexpr (Rule::kept > 1) second[i] = kept[1];
  };
#ifdef WARPCELL_SERIAL
  // Two loops, of which each becomes vectors.
  if (master) {
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = piece.begin; i < piece.end; i++) one(i, Weights<T>{weights, master});
    return;
  }
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long i = piece.begin; i < piece.end; i++) one(i, Weights<T>{weights, nullptr});
#else
  constexpr int W = kEach<T>;
  using Elements = Pack<T, W>;
  using Kept = Pack<A, W>;
  auto whole = [=](long long at) {
    Elements w = *(const Elements*)(weights + at), g = *(const Elements*)(gradients + at);
    Kept a = {}, b = {}, m = {};
    if (master) m = *(const Kept*)(master + at);
    if constexpr (Rule::kept > 0) a = *(const Kept*)(first + at);
    if constexpr (Rule::kept > 1) b = *(const Kept*)(second + at);
#pragma unroll
    for (int e = 0; e < W; e++) {
      A kept[2] = {a.element[e], b.element[e]};
      m.element[e] = rule(master ? m.element[e] : A(widen<T>(w.element[e])), A(widen<T>(g.element[e])), kept);
      w.element[e] = narrow<T>(m.element[e]);
      a.element[e] = kept[0];
      b.element[e] = kept[1];
    }
    *(Elements*)(weights + at) = w;
    if (master) *(Kept*)(master + at) = m;
    if constexpr (Rule::kept > 0) *(Kept*)(first + at) = a;
    if constexpr (Rule::kept > 1) *(Kept*)(second + at) = b;
  };
  for_packs<T>(piece, (unsigned long long)weights | (unsigned long long)gradients, whole,
               [=](long long i) { one(i, Weights<T>{weights, master}); });
#endif
}

// The arrays of a row: weights, gradient, master or nullptr, and what is kept. `skip`: whether the step is left out, or
// nullptr; `skips`: how often each slot's has been, or nullptr.
template <class T, class Rule, int P = 3 + Rule::kept>
__device__ inline void update(const List<P>& list, int rows, long long length, const float* skip, int* skips,
                              Rule rule) {
  using A = Sum<T>;
  const Piece piece = block_piece(list, rows, length);
  const Row<P>& row = list.rows[piece.row];
  if (skip && *skip != 0) {
    if (piece.begin == 0 && threadIdx.x == 0) skips[row.slot]++;
    return;
  }
  if (skips) rule.leave_out(A(skips[row.slot]));
  A* kept[2] = {};
  if constexpr (Rule::kept > 0) kept[0] = (A*)row.arrays[3];
  if constexpr (Rule::kept > 1) kept[1] = (A*)row.arrays[4];
  update_piece(piece, (T*)row.arrays[0], (const T*)row.arrays[1], (A*)row.arrays[2], kept[0], kept[1], rule);
}

template <class T>
__global__ void plain_descent(const __grid_constant__ List<3> list, int rows, long long length, const float* skip,
                              int* skips, Sum<T> rate, Sum<T> decay) {
  update<T>(list, rows, length, skip, skips, PlainDescent<Sum<T>>{rate, decay});
}
template <class T>
__global__ void descent(const __grid_constant__ List<4> list, int rows, long long length, const float* skip, int* skips,
                        Sum<T> rate, Sum<T> decay, Sum<T> momentum, Sum<T> share, Sum<T> of_gradient, Sum<T> of_kept,
                        Sum<T> steps, Sum<T> later_share) {
  update<T>(list, rows, length, skip, skips,
            Descent<Sum<T>>{rate, decay, momentum, share, of_gradient, of_kept, steps, later_share});
}
template <class T>
__global__ void adam(const __grid_constant__ List<5> list, int rows, long long length, const float* skip, int* skips,
                     Sum<T> rate, Sum<T> root, Sum<T> eps, Sum<T> decay, Sum<T> shrink, Sum<T> mean_share,
                     Sum<T> square_keep, Sum<T> square_share, Sum<T> plain_rate, Sum<T> steps, Sum<T> log_mean,
                     Sum<T> log_square) {
  update<T>(list, rows, length, skip, skips,
            Adam<Sum<T>>{rate, root, eps, decay, shrink, mean_share, square_keep, square_share, plain_rate, steps,
                         log_mean, log_square});
}
template <class T>
__global__ void plain_rmsprop(const __grid_constant__ List<4> list, int rows, long long length, const float* skip,
                              int* skips, Sum<T> rate, Sum<T> square_keep, Sum<T> square_share, Sum<T> eps,
                              Sum<T> decay) {
  update<T>(list, rows, length, skip, skips, RootMeanSquare<Sum<T>, 1>{rate, square_keep, square_share, eps, decay, 0});
}
template <class T>
__global__ void rmsprop(const __grid_constant__ List<5> list, int rows, long long length, const float* skip, int* skips,
                        Sum<T> rate, Sum<T> square_keep, Sum<T> square_share, Sum<T> eps, Sum<T> decay,
                        Sum<T> momentum) {
  update<T>(list, rows, length, skip, skips,
            RootMeanSquare<Sum<T>, 2>{rate, square_keep, square_share, eps, decay, momentum});
}
