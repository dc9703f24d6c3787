// The box around points: a transformation makes a box of each, a reduction joins two; then points in polar coordinates,
// element by element of zipped vectors, in place.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

struct point2d {
  float x, y;
  __host__ __device__ point2d() : x(0), y(0) {}
  __host__ __device__ point2d(float _x, float _y) : x(_x), y(_y) {}
};
struct bbox {
  __host__ __device__ bbox() {}
  __host__ __device__ bbox(const point2d& point) : lower_left(point), upper_right(point) {}
  __host__ __device__ bbox(const point2d& ll, const point2d& ur) : lower_left(ll), upper_right(ur) {}
  point2d lower_left, upper_right;
};
struct bbox_reduction {
  __host__ __device__ bbox operator()(bbox a, bbox b) {
    point2d ll(thrust::min(a.lower_left.x, b.lower_left.x), thrust::min(a.lower_left.y, b.lower_left.y));
    point2d ur(thrust::max(a.upper_right.x, b.upper_right.x), thrust::max(a.upper_right.y, b.upper_right.y));
    return bbox(ll, ur);
  }
};
struct to_polar {
  template <typename Tuple>
  __host__ __device__ void operator()(Tuple t) {
    float x = thrust::get<0>(t), y = thrust::get<1>(t);
    thrust::get<0>(t) = sqrtf(x * x + y * y);
    thrust::get<1>(t) = atan2f(y, x);
  }
};

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? atoi(argv[2]) : 7;
  thrust::default_random_engine rng(seed + 1);
  thrust::uniform_real_distribution<float> u01(-1.0f, 1.0f);
  thrust::device_vector<point2d> points(n);
  thrust::device_vector<float> x(n), y(n);
  for (int i = 0; i < n; i++) {
    float a = u01(rng), b = u01(rng);
    points[i] = point2d(a, b);
    x[i] = a;
    y[i] = b;
  }
  bbox init = bbox(points[0], points[0]);
  bbox result = thrust::transform_reduce(
      points.begin(), points.end(), [] __device__(point2d p) { return bbox(p); }, init, bbox_reduction());
  printf("%.6f %.6f %.6f %.6f\n", result.lower_left.x, result.lower_left.y, result.upper_right.x, result.upper_right.y);
  auto first = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
  auto last = thrust::make_zip_iterator(thrust::make_tuple(x.end(), y.end()));
  thrust::for_each(first, last, to_polar());
  // Pairs in the order of their radii, then of their angles.
  thrust::sort(first, last);
  for (int i = 0; i < n; i += n / 4) printf("%.6f\n", (float)x[i]);
  printf("mean angle %.6f\n", thrust::reduce(y.begin(), y.end(), 0.0) / n);
  return 0;
}
