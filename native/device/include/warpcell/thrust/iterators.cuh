// Thrust's iterators for both halves of a program. Device code goes through memory; host code fetches elements of the
// device one by one, through thrust::device_reference.
#pragma once
#include "functional.cuh"
#if defined(WARPCELL_HOST_CODE)
#include <iterator>
#endif

namespace warpcell_thrust {
template <class T>
class device_ptr;
template <class T>
class device_reference;
}  // namespace warpcell_thrust

namespace warpcell_algorithms {

// Whether the elements that a type stands for lie in the device's memory, in the host's, or nowhere.
enum class Place { nowhere, host, device };

// What an iterator stands at, as a value.
template <class I, class = void>
struct ValueOf {};
template <class T>
struct ValueOf<T*> : Plain<T> {};
template <class I>
using value_t = typename ValueOf<I>::type;

// Where an iterator's elements lie; any other object lies nowhere.
template <class I, class = void>
struct PlaceOf {
  static constexpr Place value = Place::nowhere;
};
template <class T>
struct PlaceOf<T*> {
  static constexpr Place value = Place::host;
};

constexpr Place together(Place a, Place b) { return a == Place::nowhere ? b : a; }

// The arithmetic of an iterator that knows what it has `at` a distance, how to `move`, and how `far` another is.
template <class Self>
struct Steps {
  using of_warpcell = void;
  __host__ __device__ decltype(auto) operator*() const { return self().at(0); }
  __host__ __device__ decltype(auto) operator[](ptrdiff_t n) const { return self().at(n); }
  __host__ __device__ Self& operator+=(ptrdiff_t n) { return self().move(n), self(); }
  __host__ __device__ Self& operator-=(ptrdiff_t n) { return self().move(-n), self(); }
  __host__ __device__ Self& operator++() { return self().move(1), self(); }
  __host__ __device__ Self& operator--() { return self().move(-1), self(); }
  __host__ __device__ Self operator++(int) {
    Self before = self();
    self().move(1);
    return before;
  }
  __host__ __device__ Self operator--(int) {
    Self before = self();
    self().move(-1);
    return before;
  }
  __host__ __device__ friend Self operator+(Self a, ptrdiff_t n) { return a.move(n), a; }
  __host__ __device__ friend Self operator+(ptrdiff_t n, Self a) { return a.move(n), a; }
  __host__ __device__ friend Self operator-(Self a, ptrdiff_t n) { return a.move(-n), a; }
  __host__ __device__ friend ptrdiff_t operator-(const Self& a, const Self& b) { return b.far(a); }
  __host__ __device__ friend bool operator==(const Self& a, const Self& b) { return a.far(b) == 0; }
  __host__ __device__ friend bool operator!=(const Self& a, const Self& b) { return a.far(b) != 0; }
  __host__ __device__ friend bool operator<(const Self& a, const Self& b) { return a.far(b) > 0; }
  __host__ __device__ friend bool operator>(const Self& a, const Self& b) { return a.far(b) < 0; }
  __host__ __device__ friend bool operator<=(const Self& a, const Self& b) { return a.far(b) >= 0; }
  __host__ __device__ friend bool operator>=(const Self& a, const Self& b) { return a.far(b) <= 0; }

 private:
  __host__ __device__ Self& self() { return static_cast<Self&>(*this); }
  __host__ __device__ const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace warpcell_algorithms

namespace warpcell_thrust {

template <class T>
class device_ptr : public warpcell_algorithms::Steps<device_ptr<T>> {
 public:
  using value_type = typename warpcell_algorithms::Plain<T>::type;
  using difference_type = ptrdiff_t;
  using pointer = device_ptr;
  device_ptr() = default;
  __host__ __device__ explicit device_ptr(T* raw) : raw_(raw) {}
  template <class U, class = decltype(static_cast<T*>(static_cast<U*>(nullptr)))>
  __host__ __device__ device_ptr(const device_ptr<U>& other) : raw_(other.get()) {}
  __host__ __device__ T* get() const { return raw_; }
#if defined(WARPCELL_HOST_CODE)
  using reference = device_reference<T>;
  using iterator_category = std::random_access_iterator_tag;
  device_reference<T> at(ptrdiff_t n) const { return device_reference<T>(device_ptr(raw_ + n)); }
  explicit operator bool() const { return raw_ != nullptr; }
#else
  using reference = T&;
  __device__ T& at(ptrdiff_t n) const { return raw_[n]; }
#endif
  __host__ __device__ void move(ptrdiff_t n) { raw_ += n; }
  __host__ __device__ ptrdiff_t far(const device_ptr& other) const { return other.raw_ - raw_; }

 private:
  T* raw_;
};

template <class T>
__host__ __device__ T* raw_pointer_cast(T* raw) {
  return raw;
}
template <class T>
__host__ __device__ T* raw_pointer_cast(const device_ptr<T>& pointer) {
  return pointer.get();
}
template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(T* raw) {
  return device_ptr<T>(raw);
}
template <class T>
__host__ __device__ device_ptr<T> device_pointer_cast(const device_ptr<T>& pointer) {
  return pointer;
}

template <class T, class... Ignored>
class counting_iterator : public warpcell_algorithms::Steps<counting_iterator<T>> {
 public:
  using value_type = T;
  using difference_type = ptrdiff_t;
  using reference = T;
  counting_iterator() = default;
  __host__ __device__ explicit counting_iterator(T first) : first_(first) {}
  __host__ __device__ T at(ptrdiff_t n) const { return T(first_ + T(n)); }
  __host__ __device__ void move(ptrdiff_t n) { first_ = T(first_ + T(n)); }
  __host__ __device__ ptrdiff_t far(const counting_iterator& other) const {
    return ptrdiff_t(other.first_) - ptrdiff_t(first_);
  }

 private:
  T first_;
};
template <class T>
__host__ __device__ counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}

template <class T>
class constant_iterator : public warpcell_algorithms::Steps<constant_iterator<T>> {
 public:
  using value_type = T;
  using difference_type = ptrdiff_t;
  using reference = T;
  constant_iterator() = default;
  __host__ __device__ explicit constant_iterator(T value, ptrdiff_t index = 0) : value_(value), index_(index) {}
  __host__ __device__ T at(ptrdiff_t) const { return value_; }
  __host__ __device__ void move(ptrdiff_t n) { index_ += n; }
  __host__ __device__ ptrdiff_t far(const constant_iterator& other) const { return other.index_ - index_; }

 private:
  T value_;
  ptrdiff_t index_;
};
template <class T>
__host__ __device__ constant_iterator<T> make_constant_iterator(T value) {
  return constant_iterator<T>(value);
}

// What is written there is nowhere.
template <class Ignored = void>
class discard_iterator : public warpcell_algorithms::Steps<discard_iterator<Ignored>> {
 public:
  struct Nothing {
    template <class T>
    __host__ __device__ const Nothing& operator=(const T&) const {
      return *this;
    }
  };
  using difference_type = ptrdiff_t;
  __host__ __device__ explicit discard_iterator(ptrdiff_t index = 0) : index_(index) {}
  __host__ __device__ Nothing at(ptrdiff_t) const { return {}; }
  __host__ __device__ void move(ptrdiff_t n) { index_ += n; }
  __host__ __device__ ptrdiff_t far(const discard_iterator& other) const { return other.index_ - index_; }

 private:
  ptrdiff_t index_;
};
__host__ __device__ inline discard_iterator<> make_discard_iterator() { return discard_iterator<>(); }

template <class F, class I, class Result = void>
class transform_iterator : public warpcell_algorithms::Steps<transform_iterator<F, I, Result>> {
 public:
  using difference_type = ptrdiff_t;
  transform_iterator() = default;
  __host__ __device__ explicit transform_iterator(I base, F f = F()) : base_(base), f_(f) {}
  __host__ __device__ auto at(ptrdiff_t n) const {
    F own = f_;
    warpcell_algorithms::value_t<I> value = base_[n];
    return own(value);
  }
  __host__ __device__ void move(ptrdiff_t n) { base_ += n; }
  __host__ __device__ ptrdiff_t far(const transform_iterator& other) const { return other.base_ - base_; }
  __host__ __device__ I base() const { return base_; }

 private:
  I base_;
  F f_;
};
template <class F, class I>
__host__ __device__ transform_iterator<F, I> make_transform_iterator(I base, F f) {
  return transform_iterator<F, I>(base, f);
}

template <class E, class I>
class permutation_iterator : public warpcell_algorithms::Steps<permutation_iterator<E, I>> {
 public:
  using value_type = warpcell_algorithms::value_t<E>;
  using difference_type = ptrdiff_t;
  permutation_iterator() = default;
  __host__ __device__ permutation_iterator(E elements, I indices) : elements_(elements), indices_(indices) {}
  __host__ __device__ decltype(auto) at(ptrdiff_t n) const {
    warpcell_algorithms::value_t<I> index = indices_[n];
    return elements_[index];
  }
  __host__ __device__ void move(ptrdiff_t n) { indices_ += n; }
  __host__ __device__ ptrdiff_t far(const permutation_iterator& other) const { return other.indices_ - indices_; }

 private:
  E elements_;
  I indices_;
};
template <class E, class I>
__host__ __device__ permutation_iterator<E, I> make_permutation_iterator(E elements, I indices) {
  return permutation_iterator<E, I>(elements, indices);
}

template <class I>
class reverse_iterator : public warpcell_algorithms::Steps<reverse_iterator<I>> {
 public:
  using value_type = warpcell_algorithms::value_t<I>;
  using difference_type = ptrdiff_t;
  reverse_iterator() = default;
  __host__ __device__ explicit reverse_iterator(I end) : end_(end) {}
  __host__ __device__ decltype(auto) at(ptrdiff_t n) const { return end_[-1 - n]; }
  __host__ __device__ void move(ptrdiff_t n) { end_ -= n; }
  __host__ __device__ ptrdiff_t far(const reverse_iterator& other) const { return end_ - other.end_; }
  __host__ __device__ I base() const { return end_; }

 private:
  I end_;
};
template <class I>
__host__ __device__ reverse_iterator<I> make_reverse_iterator(I end) {
  return reverse_iterator<I>(end);
}

template <class Iterators>
class zip_iterator;
template <class... Is>
class zip_iterator<tuple<Is...>> : public warpcell_algorithms::Steps<zip_iterator<tuple<Is...>>> {
 public:
  using difference_type = ptrdiff_t;
  zip_iterator() = default;
  __host__ __device__ explicit zip_iterator(tuple<Is...> parts) : parts_(parts) {}
  __host__ __device__ auto at(ptrdiff_t n) const {
    using Found = tuple<decltype(warpcell_algorithms::any_value<const Is&>()[0])...>;
    return Found(warpcell_algorithms::At{n}, parts_);
  }
  __host__ __device__ void move(ptrdiff_t n) { move_all(n, parts_); }
  __host__ __device__ ptrdiff_t far(const zip_iterator& other) const { return other.parts_.head - parts_.head; }
  __host__ __device__ const tuple<Is...>& get_iterator_tuple() const { return parts_; }

 private:
  __host__ __device__ static void move_all(ptrdiff_t, tuple<>&) {}
  template <class I, class... Rest>
  __host__ __device__ static void move_all(ptrdiff_t n, tuple<I, Rest...>& parts) {
    parts.head += n;
    move_all(n, parts.tail);
  }
  tuple<Is...> parts_;
};
template <class... Is>
__host__ __device__ zip_iterator<tuple<Is...>> make_zip_iterator(tuple<Is...> parts) {
  return zip_iterator<tuple<Is...>>(parts);
}
template <class I, class J, class... Is>
__host__ __device__ auto make_zip_iterator(I first, J second, Is... rest) {
  return make_zip_iterator(make_tuple(first, second, rest...));
}

}  // namespace warpcell_thrust

namespace warpcell_algorithms {

template <class T>
struct ValueOf<warpcell_thrust::device_ptr<T>> : Plain<T> {};
template <class T>
struct ValueOf<warpcell_thrust::counting_iterator<T>> : Plain<T> {};
template <class T>
struct ValueOf<warpcell_thrust::constant_iterator<T>> : Plain<T> {};
template <class F, class I, class Result>
struct ValueOf<warpcell_thrust::transform_iterator<F, I, Result>> : Plain<Result> {};
template <class F, class I>
struct ValueOf<warpcell_thrust::transform_iterator<F, I, void>>
    : Plain<typename Plain<decltype(any_value<F&>()(any_value<value_t<I>&>()))>::type> {};
template <class E, class I>
struct ValueOf<warpcell_thrust::permutation_iterator<E, I>> : ValueOf<E> {};
template <class I>
struct ValueOf<warpcell_thrust::reverse_iterator<I>> : ValueOf<I> {};
template <class... Is>
struct ValueOf<warpcell_thrust::zip_iterator<warpcell_thrust::tuple<Is...>>>
    : Plain<warpcell_thrust::tuple<value_t<Is>...>> {};

template <class T>
struct PlaceOf<warpcell_thrust::device_ptr<T>> {
  static constexpr Place value = Place::device;
};
template <class F, class I, class Result>
struct PlaceOf<warpcell_thrust::transform_iterator<F, I, Result>> : PlaceOf<I> {};
template <class E, class I>
struct PlaceOf<warpcell_thrust::permutation_iterator<E, I>> {
  static constexpr Place value = together(PlaceOf<E>::value, PlaceOf<I>::value);
};
template <class I>
struct PlaceOf<warpcell_thrust::reverse_iterator<I>> : PlaceOf<I> {};
template <class I, class... Is>
struct PlaceOf<warpcell_thrust::zip_iterator<warpcell_thrust::tuple<I, Is...>>> {
  static constexpr Place value =
      together(PlaceOf<I>::value, PlaceOf<warpcell_thrust::zip_iterator<warpcell_thrust::tuple<Is...>>>::value);
};

}  // namespace warpcell_algorithms

namespace warpcell_thrust {
template <class I>
struct iterator_value {
  using type = warpcell_algorithms::value_t<I>;
};
template <class I>
struct iterator_difference {
  using type = ptrdiff_t;
};
template <class I>
struct iterator_traits {
  using value_type = warpcell_algorithms::value_t<I>;
  using difference_type = ptrdiff_t;
};
}  // namespace warpcell_thrust
