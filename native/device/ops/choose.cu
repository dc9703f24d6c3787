// One of two by a condition for each index, tensors or numbers, by the size of an element, whatever it stands for.
#include <warpcell/map.cuh>
#include <warpcell/numbers.cuh>

using namespace warpcell;

struct Either {
  template <class T>
  __device__ inline T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

// The tensor's element where the condition is `taken`, else a number.
template <class T>
struct OrNumber {
  bool taken;
  T number;
  __device__ inline T operator()(bool condition, T a) const { return condition == taken ? a : number; }
};

template <class T>
struct OfNumbers {
  T first, second;
  __device__ inline T operator()(bool condition) const { return condition ? first : second; }
};

template <class T>
__global__ void choose(const bool* condition, const T* a, const T* b, T* out, long long count) {
  map(count, out, Either{}, condition, a, b);
}
template <class T>
__global__ void choose_strided(Layout<4> layout, const bool* condition, const T* a, const T* b, T* out,
                               long long count) {
  map_strided(layout, count, out, Either{}, condition, a, b);
}

template <class T>
__global__ void choose_number(const bool* condition, int taken, const T* a, Wide<T> number, T* out, long long count) {
  map(count, out, OrNumber<T>{taken != 0, T(number)}, condition, a);
}
template <class T>
__global__ void choose_number_strided(Layout<3> layout, const bool* condition, int taken, const T* a, Wide<T> number,
                                      T* out, long long count) {
  map_strided(layout, count, out, OrNumber<T>{taken != 0, T(number)}, condition, a);
}

template <class T>
__global__ void choose_numbers(const bool* condition, Wide<T> first, Wide<T> second, T* out, long long count) {
  map(count, out, OfNumbers<T>{T(first), T(second)}, condition);
}
template <class T>
__global__ void choose_numbers_strided(Layout<2> layout, const bool* condition, Wide<T> first, Wide<T> second, T* out,
                                       long long count) {
  map_strided(layout, count, out, OfNumbers<T>{T(first), T(second)}, condition);
}
