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

// Adagrad (Duchi and others 2011, as PyTorch has it): the gradient over the root of the sum of its squares. `rate`
// falls with the steps by `rate_decay`.
template <class A>
struct Adagrad {
  static constexpr int kept = 1;
  A rate, eps, decay, plain_rate, rate_decay, steps;
  __device__ inline void leave_out(A skipped) {
    if (skipped != A(0)) rate = plain_rate / (A(1) + (steps - skipped - A(1)) * rate_decay);
  }
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] += gradient * gradient;
    return weight - rate * gradient / (fn::sqrt(kept[0]) + eps);
  }
};
// Adadelta (Zeiler, arXiv 1212.5701, algorithm 1): means of the squares of gradients and of changes.
template <class A>
struct Adadelta {
  static constexpr int kept = 2;
  A rate, keep, share, eps, decay;
  __device__ inline void leave_out(A) {}
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] = keep * kept[0] + share * gradient * gradient;
    const A change = fn::sqrt(kept[1] + eps) / fn::sqrt(kept[0] + eps) * gradient;
    kept[1] = keep * kept[1] + share * change * change;
    return weight - rate * change;
  }
};
// Adamax (Kingma and Ba, arXiv 1412.6980, algorithm 2): the mean of gradients over the largest of late, which stays
// NaN.
template <class A>
struct Adamax {
  static constexpr int kept = 2;
  A rate, mean_share, largest_keep, eps, decay, plain_rate, steps, log_mean;
  __device__ inline void leave_out(A skipped) {
    if (skipped != A(0)) rate = plain_rate / -fn::expm1((steps - skipped) * log_mean);
  }
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] += mean_share * (gradient - kept[0]);
    const A late = largest_keep * kept[1], now = fn::fabs(gradient) + eps;
    kept[1] = fn::pick(late > now || late != late, late, now);
    return weight - rate * kept[0] / kept[1];
  }
};
// Adam with Nesterov's momentum (Dozat 2016, as PyTorch has it): beside the mean goes the gradient itself. Momenta grow
// with the steps; what is left of their product below 10⁻¹⁷ is nothing beside 1.
template <class A>
struct NesterovAdam {
  static constexpr int kept = 2;
  A gradient_rate, mean_rate, root, eps, decay, shrink, mean_share, square_keep, square_share;
  double plain_rate, first, second, momentum_decay, steps;
  __device__ inline double momentum(double step) const {
    return first * (1 - 0.5 * fn::pow(0.96, step * momentum_decay));
  }
  __device__ inline void leave_out(A skipped) {
    if (skipped == A(0)) return;
    const double taken = steps - double(skipped), now = momentum(taken), next = momentum(taken + 1);
    double product = 1;
    for (double step = 1; step <= taken && product > 1e-17; step++) product *= momentum(step);
    gradient_rate = A(plain_rate * (1 - now) / (1 - product));
    mean_rate = A(plain_rate * next / (1 - product * next));
    root = A(1 / fn::sqrt(1 - fn::pow(second, taken)));
  }
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] += mean_share * (gradient - kept[0]);
    kept[1] = square_keep * kept[1] + square_share * gradient * gradient;
    return weight * shrink - (gradient_rate * gradient + mean_rate * kept[0]) / (fn::sqrt(kept[1]) * root + eps);
  }
};
// Rectified Adam (Liu and others, arXiv 1908.03265, algorithm 2): the root of squares divides once enough of them are
// known, `adapted` being the correction then, and 0 before.
template <class A>
struct RectifiedAdam {
  static constexpr int kept = 2;
  A rate, adapted, eps, decay, shrink, mean_share, square_keep, square_share;
  double plain_rate, first, second, steps;
  __device__ inline void leave_out(A skipped) {
    if (skipped == A(0)) return;
    const double taken = steps - double(skipped), power = fn::pow(second, taken), most = 2 / (1 - second) - 1;
    const double known = most - 2 * taken * power / (1 - power);
    rate = A(plain_rate / (1 - fn::pow(first, taken)));
    adapted = A(0);
    if (known > 5)
      adapted = A(fn::sqrt((known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known) * (1 - power)));
  }
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] += mean_share * (gradient - kept[0]);
    kept[1] = square_keep * kept[1] + square_share * gradient * gradient;
    const A factor = fn::pick(adapted > A(0), adapted / (fn::sqrt(kept[1]) + eps), A(1));
    return weight * shrink - rate * factor * kept[0];
  }
};
// Averaged descent (Polyak and Juditsky 1992, as PyTorch has it): kept[0] is the mean of the weights from a step on,
// and the weights themselves before it.
template <class A>
struct AveragedDescent {
  static constexpr int kept = 1;
  A rate, shrink, share, decay;
  double plain_rate, lambda, alpha, start, steps;
  __device__ inline void leave_out(A skipped) {
    if (skipped == A(0)) return;
    const double before = steps - double(skipped) - 1, late = before - start;
    const double slowed = plain_rate / fn::pow(1 + lambda * plain_rate * before, alpha);
    rate = A(slowed);
    shrink = A(1 - lambda * slowed);
    share = A(late > 1 ? 1 / late : 1);
  }
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    const A next = weight * shrink - rate * (gradient + decay * weight);
    kept[0] = share == A(1) ? next : kept[0] + share * (next - kept[0]);
    return next;
  }
};
// Resilient propagation (Riedmiller and Braun 1993, as PyTorch has it): each weight has a step of its own, kept[1],
// which grows while the gradient's sign stays, and shrinks where it turns, as if there were none; kept[0] is the
// gradient before.
template <class A>
struct ResilientPropagation {
  static constexpr int kept = 2;
  A shrink, grow, least, most;
  __device__ inline void leave_out(A) {}
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    const A turn = gradient * kept[0];
    A step = kept[1] * fn::pick(turn > A(0), grow, fn::pick(turn < A(0), shrink, A(1)));
    step = fn::pick(step < least, least, fn::pick(step > most, most, step));
    gradient = fn::pick(turn < A(0), A(0), gradient);
    kept[0] = gradient;
    kept[1] = step;
    const A change = fn::pick(gradient == A(0), A(0), fn::copysign(step, gradient));
    return weight - fn::pick(gradient == gradient, change, gradient);
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
template <class T>
__global__ void adagrad(const __grid_constant__ List<4> list, int rows, long long length, const float* skip, int* skips,
                        Sum<T> rate, Sum<T> eps, Sum<T> decay, Sum<T> plain_rate, Sum<T> rate_decay, Sum<T> steps) {
  update<T>(list, rows, length, skip, skips, Adagrad<Sum<T>>{rate, eps, decay, plain_rate, rate_decay, steps});
}
template <class T>
__global__ void adadelta(const __grid_constant__ List<5> list, int rows, long long length, const float* skip,
                         int* skips, Sum<T> rate, Sum<T> keep, Sum<T> share, Sum<T> eps, Sum<T> decay) {
  update<T>(list, rows, length, skip, skips, Adadelta<Sum<T>>{rate, keep, share, eps, decay});
}
template <class T>
__global__ void adamax(const __grid_constant__ List<5> list, int rows, long long length, const float* skip, int* skips,
                       Sum<T> rate, Sum<T> mean_share, Sum<T> largest_keep, Sum<T> eps, Sum<T> decay, Sum<T> plain_rate,
                       Sum<T> steps, Sum<T> log_mean) {
  update<T>(list, rows, length, skip, skips,
            Adamax<Sum<T>>{rate, mean_share, largest_keep, eps, decay, plain_rate, steps, log_mean});
}
template <class T>
__global__ void nesterov_adam(const __grid_constant__ List<5> list, int rows, long long length, const float* skip,
                              int* skips, Sum<T> gradient_rate, Sum<T> mean_rate, Sum<T> root, Sum<T> eps, Sum<T> decay,
                              Sum<T> shrink, Sum<T> mean_share, Sum<T> square_keep, Sum<T> square_share,
                              double plain_rate, double first, double second, double momentum_decay, double steps) {
  update<T>(list, rows, length, skip, skips,
            NesterovAdam<Sum<T>>{gradient_rate, mean_rate, root, eps, decay, shrink, mean_share, square_keep,
                                 square_share, plain_rate, first, second, momentum_decay, steps});
}
template <class T>
__global__ void rectified_adam(const __grid_constant__ List<5> list, int rows, long long length, const float* skip,
                               int* skips, Sum<T> rate, Sum<T> adapted, Sum<T> eps, Sum<T> decay, Sum<T> shrink,
                               Sum<T> mean_share, Sum<T> square_keep, Sum<T> square_share, double plain_rate,
                               double first, double second, double steps) {
  update<T>(list, rows, length, skip, skips,
            RectifiedAdam<Sum<T>>{rate, adapted, eps, decay, shrink, mean_share, square_keep, square_share, plain_rate,
                                  first, second, steps});
}
template <class T>
__global__ void averaged_descent(const __grid_constant__ List<4> list, int rows, long long length, const float* skip,
                                 int* skips, Sum<T> rate, Sum<T> shrink, Sum<T> share, Sum<T> decay, double plain_rate,
                                 double lambda, double alpha, double start, double steps) {
  update<T>(list, rows, length, skip, skips,
            AveragedDescent<Sum<T>>{rate, shrink, share, decay, plain_rate, lambda, alpha, start, steps});
}
template <class T>
__global__ void resilient_propagation(const __grid_constant__ List<5> list, int rows, long long length,
                                      const float* skip, int* skips, Sum<T> shrink, Sum<T> grow, Sum<T> least,
                                      Sum<T> most) {
  update<T>(list, rows, length, skip, skips, ResilientPropagation<Sum<T>>{shrink, grow, least, most});
}
