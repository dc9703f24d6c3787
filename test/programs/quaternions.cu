// Points turned by quaternions: a class with operators for both sides, float3 with operators of one's own, constants.
#include <cmath>
#include <cstdio>
#include <cstdlib>

inline __host__ __device__ double3 operator+(double3 a, double3 b) {
  return make_double3(a.x + b.x, a.y + b.y, a.z + b.z);
}
inline __host__ __device__ double3 operator*(double s, double3 v) { return make_double3(s * v.x, s * v.y, s * v.z); }
inline __host__ __device__ void operator+=(double3& a, double3 b) { a = a + b; }
inline __host__ __device__ double dot(double3 a, double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ double3 cross(double3 a, double3 b) {
  return make_double3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

class Quaternion {
 public:
  __host__ __device__ Quaternion() : w(1), v(make_double3(0, 0, 0)) {}
  __host__ __device__ Quaternion(double w, double3 v) : w(w), v(v) {}
  __host__ static Quaternion about(double3 axis, double angle) {
    return {std::cos(angle / 2), std::sin(angle / 2) / std::sqrt(dot(axis, axis)) * axis};
  }
  __host__ __device__ Quaternion operator*(const Quaternion& q) const {
    return {w * q.w - dot(v, q.v), w * q.v + q.w * v + cross(v, q.v)};
  }
  __host__ __device__ Quaternion operator~() const { return {w, -1 * v}; }
  __host__ __device__ double3 operator()(double3 p) const { return ((*this) * Quaternion(0, p) * ~(*this)).v; }
  __host__ __device__ double length() const { return sqrt(w * w + dot(v, v)); }

 private:
  double w;
  double3 v;
};

__constant__ double turns[2];  // how a point's turn depends on its number

__global__ void turn(const double3* points, double3* out, Quaternion by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Quaternion all;
  for (int k = 0; k < i % 4; k++) all = by * all;
  double3 p = all(points[i]);
  p += turns[i % 2] * make_double3(1, 2, 3);
  out[i] = p;
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  double3 *points, *out;
  cudaMallocManaged(&points, n * sizeof(double3));
  cudaMallocManaged(&out, n * sizeof(double3));
  for (int i = 0; i < n; i++) points[i] = make_double3(i, i * i % 7, -2 * i);
  double shifts[] = {0, 0.5};
  cudaMemcpyToSymbol(turns, shifts, sizeof(double), 0);
  cudaMemcpyToSymbol(turns, shifts + 1, sizeof(double), sizeof(double));
  const Quaternion third = Quaternion::about(make_double3(1, 1, 1), 2 * M_PI / 3);
  turn<<<(n + 31) / 32, 32>>>(points, out, third, n);
  cudaDeviceSynchronize();
  printf("length %.6f\n", third.length());
  for (int i = 0; i < n; i++) printf("%.6f %.6f %.6f\n", out[i].x + 0.0, out[i].y + 0.0, out[i].z + 0.0);
  cudaFree(points);
  cudaFree(out);
}
