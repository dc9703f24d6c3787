// Steps of optimisers: each reads parameters, their gradients and what is kept of earlier steps, and writes the
// parameters and what is kept, in one pass.
#include <warpcell/map.cuh>
#include <warpcell/math.cuh>

using namespace warpcell;

// Stochastic gradient descent: `kept` is the momentum. Nesterov's goes on by direction = g + momentum · kept, the other
// by kept (Sutskever and others 2013, as PyTorch has it).
template <class A>
struct Descent {
  static constexpr int kept = 1;
  A rate, decay, momentum, share, of_gradient, of_kept;
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
  __device__ inline A operator()(A weight, A gradient, A*) const { return weight - rate * (gradient + decay * weight); }
};
// Adam (Kingma and Ba, arXiv 1412.6980, algorithm 1): means of gradients and of their squares. `decay` adds to the
// gradient, `shrink` takes from the weight (Loshchilov and Hutter, arXiv 1711.05101); `rate` and `root` have the
// corrections of the means' bias.
template <class A>
struct Adam {
  static constexpr int kept = 2;
  A rate, root, eps, decay, shrink, mean_share, square_keep, square_share;
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
  __device__ inline A operator()(A weight, A gradient, A* kept) const {
    gradient += decay * weight;
    kept[0] = square_keep * kept[0] + square_share * gradient * gradient;
    A direction = gradient / (fn::sqrt(kept[0]) + eps);
    if constexpr (N > 1) direction = kept[1] = momentum * kept[1] + direction;
    return weight - rate * direction;
  }
};

// Elements that a thread of a GPU takes at a time.
template <class T>
constexpr int kEach = kPackBytes / sizeof(Sum<T>);

template <class T, class Rule>
__device__ inline void update(T* weights, const T* gradients, Sum<T>* first, Sum<T>* second, long long count,
                              Rule rule) {
  using A = Sum<T>;
  auto one = [=](long long i) {
    A kept[2];
    if constexpr (Rule::kept > 0) kept[0] = first[i];
    if constexpr (Rule::kept > 1) kept[1] = second[i];
    weights[i] = narrow<T>(rule(A(widen<T>(weights[i])), A(widen<T>(gradients[i])), kept));
    if constexpr (Rule::kept > 0) first[i] = kept[0];
    if constexpr (Rule::kept > 1) second[i] = kept[1];
  };
#ifdef WARPCELL_SERIAL
  const Span span = block_span(count);
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
  for (long long i = span.begin; i < span.end; i++) one(i);
#else
  constexpr int W = kEach<T>;
  using Elements = Pack<T, W>;
  using Kept = Pack<A, W>;
  const long long at = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * W;
  const bool is_aligned = ((unsigned long long)weights | (unsigned long long)gradients) % sizeof(Elements) == 0;
  if (!is_aligned || at + W > count) {
    for (int e = 0; e < W; e++)
      if (at + e < count) one(at + e);
    return;
  }
  Elements w = *(const Elements*)(weights + at), g = *(const Elements*)(gradients + at);
  Kept a = {}, b = {};
  if constexpr (Rule::kept > 0) a = *(const Kept*)(first + at);
  if constexpr (Rule::kept > 1) b = *(const Kept*)(second + at);
#pragma unroll
  for (int e = 0; e < W; e++) {
    A kept[2] = {a.element[e], b.element[e]};
    w.element[e] = narrow<T>(rule(A(widen<T>(w.element[e])), A(widen<T>(g.element[e])), kept));
    a.element[e] = kept[0];
    b.element[e] = kept[1];
  }
  *(Elements*)(weights + at) = w;
  if constexpr (Rule::kept > 0) *(Kept*)(first + at) = a;
  if constexpr (Rule::kept > 1) *(Kept*)(second + at) = b;
#endif
}

template <class T>
__global__ void plain_descent(T* weights, const T* gradients, long long count, Sum<T> rate, Sum<T> decay) {
  update(weights, gradients, (Sum<T>*)nullptr, (Sum<T>*)nullptr, count, PlainDescent<Sum<T>>{rate, decay});
}
template <class T>
__global__ void descent(T* weights, const T* gradients, Sum<T>* kept, long long count, Sum<T> rate, Sum<T> decay,
                        Sum<T> momentum, Sum<T> share, Sum<T> of_gradient, Sum<T> of_kept) {
  update(weights, gradients, kept, (Sum<T>*)nullptr, count,
         Descent<Sum<T>>{rate, decay, momentum, share, of_gradient, of_kept});
}
template <class T>
__global__ void adam(T* weights, const T* gradients, Sum<T>* means, Sum<T>* squares, long long count, Sum<T> rate,
                     Sum<T> root, Sum<T> eps, Sum<T> decay, Sum<T> shrink, Sum<T> mean_share, Sum<T> square_keep,
                     Sum<T> square_share) {
  update(weights, gradients, means, squares, count,
         Adam<Sum<T>>{rate, root, eps, decay, shrink, mean_share, square_keep, square_share});
}
template <class T>
__global__ void plain_rmsprop(T* weights, const T* gradients, Sum<T>* squares, long long count, Sum<T> rate,
                              Sum<T> square_keep, Sum<T> square_share, Sum<T> eps, Sum<T> decay) {
  update(weights, gradients, squares, (Sum<T>*)nullptr, count,
         RootMeanSquare<Sum<T>, 1>{rate, square_keep, square_share, eps, decay, 0});
}
template <class T>
__global__ void rmsprop(T* weights, const T* gradients, Sum<T>* squares, Sum<T>* kept, long long count, Sum<T> rate,
                        Sum<T> square_keep, Sum<T> square_share, Sum<T> eps, Sum<T> decay, Sum<T> momentum) {
  update(weights, gradients, squares, kept, count,
         RootMeanSquare<Sum<T>, 2>{rate, square_keep, square_share, eps, decay, momentum});
}
