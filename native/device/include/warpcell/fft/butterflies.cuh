// Fourier transforms of few points, in registers: X[k] = Σ x[j] · exp(−2πi·jk/R). V is a number, or a vector of them
// with a transform in each lane.
#pragma once

namespace warpcell {

template <class V>
struct Point {
  V re, im;
};

template <class V>
__device__ inline Point<V> operator+(const Point<V>& a, const Point<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
__device__ inline Point<V> operator-(const Point<V>& a, const Point<V>& b) {
  return {a.re - b.re, a.im - b.im};
}
// By a root of unity, which is one for all lanes or one for each.
template <class V, class W>
__device__ inline Point<V> times(const Point<V>& a, W re, W im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
// −i · a
template <class V>
__device__ inline Point<V> turned(const Point<V>& a) {
  return {a.im, -a.re};
}

template <class T, class V>
__device__ inline void butterfly2(Point<V>& a, Point<V>& b) {
  Point<V> sum = a + b;
  b = a - b;
  a = sum;
}

template <class T, class V>
__device__ inline void butterfly4(Point<V>& a, Point<V>& b, Point<V>& c, Point<V>& d) {
  Point<V> even = a + c, even_less = a - c, odd = b + d, odd_less = turned(b - d);
  a = even + odd;
  b = even_less + odd_less;
  c = even - odd;
  d = even_less - odd_less;
}

template <class T, class V>
__device__ inline void butterfly8(Point<V>* z) {
  const T half = T(0.70710678118654752440);
  Point<V> a = z[0], b = z[2], c = z[4], d = z[6], e = z[1], f = z[3], g = z[5], h = z[7];
  butterfly4<T>(a, b, c, d);
  butterfly4<T>(e, f, g, h);
  f = {(f.re + f.im) * half, (f.im - f.re) * half};
  g = turned(g);
  h = {(h.im - h.re) * half, (h.re + h.im) * -half};
  z[0] = a + e, z[4] = a - e;
  z[1] = b + f, z[5] = b - f;
  z[2] = c + g, z[6] = c - g;
  z[3] = d + h, z[7] = d - h;
}

// cos and sin of 2πj/R for j up to R/2.
template <int R>
__device__ constexpr double cosine_of(int j) {
  constexpr double three[] = {1, -0.5};
  constexpr double five[] = {1, 0.30901699437494742410, -0.80901699437494742410};
  constexpr double seven[] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
  constexpr double eleven[] = {1,
                               0.84125353283118116886,
                               0.41541501300188642553,
                               -0.14231483827328514044,
                               -0.65486073394528506406,
                               -0.95949297361449738989};
  constexpr double thirteen[] = {1,
                                 0.88545602565320989587,
                                 0.56806474673115580253,
                                 0.12053668025532305335,
                                 -0.35460488704253562597,
                                 -0.74851074817110109863,
                                 -0.97094181742605202716};
  return R == 3 ? three[j] : R == 5 ? five[j] : R == 7 ? seven[j] : R == 11 ? eleven[j] : thirteen[j];
}
template <int R>
__device__ constexpr double sine_of(int j) {
  constexpr double three[] = {0, 0.86602540378443864676};
  constexpr double five[] = {0, 0.95105651629515357212, 0.58778525229247312917};
  constexpr double seven[] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
  constexpr double eleven[] = {0,
                               0.54064081745559758211,
                               0.90963199535451837141,
                               0.98982144188093273238,
                               0.75574957435425828377,
                               0.28173255684142969771};
  constexpr double thirteen[] = {0,
                                 0.46472317204376854566,
                                 0.82298386589365639458,
                                 0.99270887409805399281,
                                 0.93501624268541482344,
                                 0.66312265824079520238,
                                 0.23931566428755776715};
  return R == 3 ? three[j] : R == 5 ? five[j] : R == 7 ? seven[j] : R == 11 ? eleven[j] : thirteen[j];
}

// R odd: by sums and differences of what lies opposite, with half the products.
template <int R, class T, class V>
__device__ inline void butterfly_odd(Point<V>* z) {
  constexpr int H = R / 2;
  Point<V> sum[H], difference[H];
  const Point<V> first = z[0];
#pragma unroll
  for (int j = 0; j < H; j++) {
    sum[j] = z[j + 1] + z[R - 1 - j];
    difference[j] = z[j + 1] - z[R - 1 - j];
    z[0] = z[0] + sum[j];
  }
#pragma unroll
  for (int k = 1; k <= H; k++) {
    Point<V> even = first, odd{};
#pragma unroll
    for (int j = 1; j <= H; j++) {
      const int at = j * k % R, near = at <= H ? at : R - at;
      const T c = T(cosine_of<R>(near)), s = T(at <= H ? sine_of<R>(near) : -sine_of<R>(near));
      even.re += sum[j - 1].re * c;
      even.im += sum[j - 1].im * c;
      odd.re += difference[j - 1].im * s;
      odd.im -= difference[j - 1].re * s;
    }
    z[k] = even + odd;
    z[R - k] = even - odd;
  }
}

template <int R, class T, class V>
__device__ inline void butterfly(Point<V>* z) {
  if constexpr (R == 2)
    butterfly2<T>(z[0], z[1]);
  else if constexpr (R == 4)
    butterfly4<T>(z[0], z[1], z[2], z[3]);
  else if constexpr (R == 8)
    butterfly8<T>(z);
  else
    butterfly_odd<R, T>(z);
}

}  // namespace warpcell
