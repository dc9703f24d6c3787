// What a thread does for a function of cuBLAS: objects, whose type both halves of a program know.
#pragma once
#include "thrust/bodies.cuh"

namespace warpcell_blas {

// A factor that the host gives, or that lies on the device.
template <class T>
struct Factor {
  T value;
  const T* place;
  __host__ __device__ T get() const { return place == nullptr ? value : *place; }
};

// The elements of a vector.
template <class T>
struct Elements {
  T* first;
  long long step;
  __host__ __device__ T& operator[](size_t i) const { return first[(long long)i * step]; }
};

// A matrix, by how far its rows and its columns are apart; or one of many, which follow each other or are listed.
template <class T>
struct Matrix {
  T* first;
  long long row, column;
  long long next = 0;
  T* const* list = nullptr;
  __host__ __device__ Matrix of(size_t number) const {
    return {list == nullptr ? first + (long long)number * next : list[number], row, column};
  }
  __host__ __device__ T& at(long long i, long long j) const { return first[i * row + j * column]; }
};

// c = alpha a b + beta c: so many rows and columns of one c by each thread. Where beta is 0, c is not read.
constexpr int kRows = 8, kColumns = 4;
template <class T>
struct Product {
  Matrix<const T> a, b;
  Matrix<T> c;
  long long m, n, k;
  Factor<T> alpha, beta;
  __host__ __device__ void operator()(size_t i) {
    size_t down = (m + kRows - 1) / kRows, across = (n + kColumns - 1) / kColumns;
    long long row = i % down * kRows, column = i / down % across * kColumns;
    size_t number = i / (down * across);
    Matrix<const T> left = a.of(number), right = b.of(number);
    Matrix<T> out = c.of(number);
    long long rows = m - row < kRows ? m - row : kRows, columns = n - column < kColumns ? n - column : kColumns;
    T sums[kColumns][kRows] = {};
    for (long long l = 0; l < k; l++) {
      T of_left[kRows];
      for (int r = 0; r < kRows; r++) of_left[r] = r < rows ? left.at(row + r, l) : T(0);
      for (int q = 0; q < kColumns; q++) {
        T of_right = q < columns ? right.at(l, column + q) : T(0);
        for (int r = 0; r < kRows; r++) sums[q][r] += of_left[r] * of_right;
      }
    }
    T by = alpha.get(), kept = beta.get();
    for (int q = 0; q < columns; q++) {
      for (int r = 0; r < rows; r++) {
        T& to = out.at(row + r, column + q);
        to = kept == T(0) ? by * sums[q][r] : by * sums[q][r] + kept * to;
      }
    }
  }
};

// c = alpha a + beta b; a matrix whose factor is 0 is not read.
template <class T>
struct Combination {
  Matrix<const T> a, b;
  Matrix<T> c;
  long long m;
  Factor<T> alpha, beta;
  __host__ __device__ void operator()(size_t i) {
    long long row = i % m, column = i / m;
    T of_a = alpha.get(), of_b = beta.get();
    T sum = of_a == T(0) ? T(0) : of_a * a.at(row, column);
    if (of_b != T(0)) sum += of_b * b.at(row, column);
    c.at(row, column) = sum;
  }
};

// c = a with its rows, or its columns, times the elements of a vector.
template <class T>
struct Scaled {
  Matrix<const T> a;
  Elements<const T> by;
  Matrix<T> c;
  long long m;
  bool is_of_rows;
  __host__ __device__ void operator()(size_t i) {
    long long row = i % m, column = i / m;
    c.at(row, column) = a.at(row, column) * by[is_of_rows ? row : column];
  }
};

// y = alpha x + y
template <class T>
struct Added {
  Elements<const T> x;
  Elements<T> y;
  Factor<T> alpha;
  __host__ __device__ void operator()(size_t i) { y[i] += alpha.get() * x[i]; }
};
// x = alpha x
template <class T>
struct Multiplied {
  Elements<T> x;
  Factor<T> alpha;
  __host__ __device__ void operator()(size_t i) { x[i] *= alpha.get(); }
};
// x and y turned by an angle.
template <class T>
struct Turned {
  Elements<T> x, y;
  Factor<T> cosine, sine;
  __host__ __device__ void operator()(size_t i) {
    T before = x[i];
    x[i] = cosine.get() * before + sine.get() * y[i];
    y[i] = cosine.get() * y[i] - sine.get() * before;
  }
};

// --- vectors, as what is to be added up

template <class T>
struct Products {
  Elements<const T> x, y;
  __host__ __device__ T operator[](size_t i) const { return x[i] * y[i]; }
};
template <class T>
struct Magnitudes {
  Elements<const T> x;
  __host__ __device__ T operator[](size_t i) const { return x[i] < T(0) ? -x[i] : x[i]; }
};
// In float64, where the square of no float overflows.
template <class T>
struct Squares {
  Elements<const T> x;
  __host__ __device__ double operator[](size_t i) const { return double(x[i]) * double(x[i]); }
};

// What becomes of a sum, or of an element's number.
struct Itself {
  template <class T>
  __host__ __device__ T operator()(T value) const {
    return value;
  }
};
struct Root {
  __host__ __device__ double operator()(double value) const { return sqrt(value); }
};
struct FromOne {
  __host__ __device__ int operator()(size_t value) const { return int(value) + 1; }
};
template <class From, class To, class End>
struct Give {
  const From* from;
  To* to;
  End end;
  __host__ __device__ void operator()(size_t) { *to = To(end(*from)); }
};

}  // namespace warpcell_blas

namespace warpcell_algorithms {
template <class T>
struct ValueOf<warpcell_blas::Elements<T>> : Plain<T> {};
}  // namespace warpcell_algorithms
