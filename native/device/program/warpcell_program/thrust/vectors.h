// thrust::device_vector and host_vector, and what host code has at an element of the device's memory.
#pragma once
#include <initializer_list>
#include <ostream>

#include "execution.h"

namespace warpcell_thrust {

// An element of the device's memory, which host code reads and writes by copies.
template <class T>
class device_reference {
 public:
  using value_type = typename warpcell_algorithms::Plain<T>::type;
  explicit device_reference(device_ptr<T> place) : place_(place) {}
  device_reference(const device_reference&) = default;
  operator value_type() const {
    alignas(value_type) unsigned char bytes[sizeof(value_type)];
    warpcell_algorithms::expect(cudaMemcpy(bytes, place_.get(), sizeof bytes, cudaMemcpyDeviceToHost));
    return *reinterpret_cast<value_type*>(bytes);
  }
  const device_reference& operator=(const value_type& value) const {
    warpcell_algorithms::expect(cudaMemcpy(place_.get(), &value, sizeof value, cudaMemcpyHostToDevice));
    return *this;
  }
  device_reference& operator=(const device_reference& other) { return *this = value_type(other), *this; }
  device_ptr<T> operator&() const { return place_; }
  // clang-format off
#define WARPCELL_CHANGES(sign) \
  template <class U> const device_reference& operator sign##=(const U& by) const { \
    return *this = value_type(value_type(*this) sign by); }
  // clang-format on
  WARPCELL_CHANGES(+)
  WARPCELL_CHANGES(-)
  WARPCELL_CHANGES(*)
  WARPCELL_CHANGES(/)
  WARPCELL_CHANGES(%)
  WARPCELL_CHANGES(&)
  WARPCELL_CHANGES(|)
  WARPCELL_CHANGES(^)
#undef WARPCELL_CHANGES
  const device_reference& operator++() const { return *this += 1; }
  const device_reference& operator--() const { return *this -= 1; }
  value_type operator++(int) const {
    value_type before = *this;
    *this += 1;
    return before;
  }
  friend std::ostream& operator<<(std::ostream& stream, const device_reference& of) { return stream << value_type(of); }
  friend void swap(device_reference a, device_reference b) {
    value_type kept = a;
    a = value_type(b);
    b = kept;
  }

 private:
  device_ptr<T> place_;
};
template <class T>
T* raw_pointer_cast(device_reference<T>) = delete;

template <class T>
device_ptr<T> device_malloc(size_t count, warpcell_algorithms::CallLine line = warpcell_algorithms::CallLine()) {
  void* memory = nullptr;
  if (count > 0) warpcell_algorithms::expect(cudaMalloc(&memory, count * sizeof(T), line.line));
  return device_ptr<T>(static_cast<T*>(memory));
}
template <class T>
void device_free(device_ptr<T> memory) {
  warpcell_algorithms::expect(cudaFree((void*)memory.get()));
}

// --- copies, to and from everywhere

template <class I>
constexpr warpcell_algorithms::Place place_of = warpcell_algorithms::PlaceOf<I>::value;

namespace copies {
using namespace warpcell_algorithms;

// Where elements follow one another in memory: a pointer to them.
template <class T>
T* contiguous(device_ptr<T> pointer) {
  return pointer.get();
}
template <class I>
Apart contiguous(I) {
  return {};
}
template <class I>
using Memory = decltype(contiguous(any_value<I>()));

template <class In, class Out>
Out on_device(const device_policy& policy, In in, size_t n, Out out, CallLine line) {
  run(policy, line, [&](auto& on) { on.each(n, Copy<In, Out>{in, out}); });
  return out + ptrdiff_t(n);
}
template <class T>
std::vector<T> fetched(const T* from, size_t n, CallLine line) {
  std::vector<T> values(n);
  if (n > 0) expect(cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost, line.line));
  return values;
}
}  // namespace copies

template <class P, class In, class Out, warpcell_algorithms::Policy<P> = 0>
Out copy(const P& policy, In first, In last, Out out, WARPCELL_LINE_OF_CALL) {
  using namespace warpcell_algorithms;
  size_t n = warpcell_algorithms::length(first, last);
  if constexpr (__is_base_of(host_policy, P))
    return std::copy(first, last, out);
  else
    return copies::on_device(policy, first, n, out, line);
}
template <class In, class Out, warpcell_algorithms::NoPolicy<In> = 0>
Out copy(In first, In last, Out out, WARPCELL_LINE_OF_CALL) {
  using namespace warpcell_algorithms;
  using T = value_t<In>;
  constexpr bool from_host = place_of<In> == Place::host, to_host = place_of<Out> == Place::host;
  constexpr bool from_device = place_of<In> == Place::device, to_device = place_of<Out> == Place::device;
  if constexpr (from_device && to_host) {
    using Memory = copies::Memory<In>;
    std::vector<T> values;
    if constexpr (Same<Memory, copies::Apart>::value) {
      size_t n = size_t(last - first);
      Borrowed room(n * sizeof(T), nullptr, line.line);
      copies::on_device(device_policy(), first, n, static_cast<T*>(room.memory), line);
      values = copies::fetched(static_cast<const T*>(room.memory), n, line);
    } else {
      values = copies::fetched<T>(copies::contiguous(first), size_t(last - first), line);
    }
    return std::copy(values.begin(), values.end(), out);
  } else if constexpr (from_host && to_device) {
    using To = value_t<Out>;
    std::vector<To> values(first, last);
    size_t bytes = values.size() * sizeof(To);
    if (bytes == 0) return out;
    if constexpr (Same<copies::Memory<Out>, copies::Apart>::value) {
      Borrowed room(bytes, nullptr, line.line);
      expect(cudaMemcpy(room.memory, values.data(), bytes, cudaMemcpyHostToDevice, line.line));
      return copies::on_device(device_policy(), static_cast<To*>(room.memory), values.size(), out, line);
    } else {
      expect(cudaMemcpy(copies::contiguous(out), values.data(), bytes, cudaMemcpyHostToDevice, line.line));
      return out + ptrdiff_t(values.size());
    }
  } else if constexpr (from_host || to_host) {
    return std::copy(first, last, out);
  } else {
    return copies::on_device(device_policy(), first, size_t(last - first), out, line);
  }
}
template <class P, class In, class Size, class Out, warpcell_algorithms::Policy<P> = 0>
Out copy_n(const P& policy, In first, Size n, Out out, WARPCELL_LINE_OF_CALL) {
  return copy(policy, first, first + ptrdiff_t(n), out, line);
}
template <class In, class Size, class Out, warpcell_algorithms::NoPolicy<In> = 0>
Out copy_n(In first, Size n, Out out, WARPCELL_LINE_OF_CALL) {
  return copy(first, first + ptrdiff_t(n), out, line);
}

// --- vectors

template <class T, class Allocator = void>
class device_vector;

template <class T, class Allocator = void>
class host_vector : public std::vector<T> {
  using Base = std::vector<T>;

 public:
  using Base::Base;
  host_vector() = default;
  host_vector(const Base& other) : Base(other) {}
  template <class U>
  host_vector(const device_vector<U>& other, WARPCELL_LINE_OF_CALL) : Base(other.size()) {
    warpcell_thrust::copy(other.begin(), other.end(), this->begin(), line);
  }
  template <class U>
  host_vector(device_ptr<U> first, device_ptr<U> last, WARPCELL_LINE_OF_CALL) : Base(size_t(last - first)) {
    warpcell_thrust::copy(first, last, this->begin(), line);
  }
  template <class U>
  host_vector& operator=(const device_vector<U>& other) {
    this->resize(other.size());
    warpcell_thrust::copy(other.begin(), other.end(), this->begin());
    return *this;
  }
};

template <class T, class Allocator>
class device_vector {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using pointer = device_ptr<T>;
  using const_pointer = device_ptr<const T>;
  using reference = device_reference<T>;
  using const_reference = device_reference<const T>;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;

  device_vector() = default;
  explicit device_vector(size_t count, WARPCELL_LINE_OF_CALL) { resize(count, T(), line); }
  device_vector(size_t count, const T& value, WARPCELL_LINE_OF_CALL) { resize(count, value, line); }
  template <class I, class = warpcell_algorithms::value_t<I>>
  device_vector(I first, I last, WARPCELL_LINE_OF_CALL) {
    assign(first, last, line);
  }
  device_vector(std::initializer_list<T> values, WARPCELL_LINE_OF_CALL) { assign(values.begin(), values.end(), line); }
  device_vector(const device_vector& other, WARPCELL_LINE_OF_CALL) { assign(other.begin(), other.end(), line); }
  device_vector(device_vector&& other) noexcept { swap(other); }
  template <class U>
  device_vector(const device_vector<U>& other, WARPCELL_LINE_OF_CALL) {
    assign(other.begin(), other.end(), line);
  }
  template <class U, class A>
  device_vector(const std::vector<U, A>& other, WARPCELL_LINE_OF_CALL) {
    assign(other.begin(), other.end(), line);
  }
  ~device_vector() {
    if (memory_.get() != nullptr) (void)cudaFree((void*)memory_.get());
  }
  device_vector& operator=(const device_vector& other) {
    if (&other != this) assign(other.begin(), other.end());
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  template <class U, class A>
  device_vector& operator=(const std::vector<U, A>& other) {
    assign(other.begin(), other.end());
    return *this;
  }
  template <class U>
  device_vector& operator=(const device_vector<U>& other) {
    assign(other.begin(), other.end());
    return *this;
  }

  template <class I, class = warpcell_algorithms::value_t<I>>
  void assign(I first, I last, WARPCELL_LINE_OF_CALL) {
    size_ = 0;
    size_t count = warpcell_algorithms::length(first, last);
    reserve(count, line);
    warpcell_thrust::copy(first, last, memory_, line);
    size_ = count;
  }
  void assign(size_t count, const T& value, WARPCELL_LINE_OF_CALL) {
    size_ = 0;
    resize(count, value, line);
  }
  void resize(size_t count, const T& value = T(), WARPCELL_LINE_OF_CALL) {
    reserve(count, line);
    if (count > size_) {
      using Fill = warpcell_algorithms::Fill<T*, T>;
      Fill fill{memory_.get() + size_, value};
      warpcell_algorithms::run(device_policy(), line, [&](auto& on) { on.each(count - size_, fill); });
    }
    size_ = count;
  }
  void reserve(size_t count, WARPCELL_LINE_OF_CALL) {
    if (count <= capacity_) return;
    device_ptr<T> larger = device_malloc<T>(count, line);
    if (size_ > 0) warpcell_thrust::copy(begin(), end(), larger, line);
    if (memory_.get() != nullptr) device_free(memory_);
    memory_ = larger;
    capacity_ = count;
  }
  void push_back(const T& value, WARPCELL_LINE_OF_CALL) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 8 : 2 * capacity_, line);
    memory_[ptrdiff_t(size_++)] = value;
  }
  void pop_back() { size_--; }
  void clear() { size_ = 0; }
  void shrink_to_fit() {
    device_vector exact(begin(), end());
    swap(exact);
  }
  iterator erase(iterator first, iterator last, WARPCELL_LINE_OF_CALL) {
    host_vector<T> behind(last, end(), line);
    warpcell_thrust::copy(behind.begin(), behind.end(), first, line);
    size_ -= size_t(last - first);
    return first;
  }
  iterator erase(iterator at) { return erase(at, at + 1); }
  template <class I, class = warpcell_algorithms::value_t<I>>
  iterator insert(iterator at, I first, I last, WARPCELL_LINE_OF_CALL) {
    ptrdiff_t place = at - begin(), count = ptrdiff_t(warpcell_algorithms::length(first, last));
    host_vector<T> behind(at, end(), line);
    resize(size_ + size_t(count), T(), line);
    warpcell_thrust::copy(first, last, begin() + place, line);
    warpcell_thrust::copy(behind.begin(), behind.end(), begin() + place + count, line);
    return begin() + place;
  }
  void swap(device_vector& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  iterator begin() { return memory_; }
  iterator end() { return memory_ + ptrdiff_t(size_); }
  const_iterator begin() const { return memory_; }
  const_iterator end() const { return memory_ + ptrdiff_t(size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator<iterator> rbegin() { return reverse_iterator<iterator>(end()); }
  reverse_iterator<iterator> rend() { return reverse_iterator<iterator>(begin()); }
  pointer data() { return memory_; }
  const_pointer data() const { return memory_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  reference operator[](size_t i) { return memory_[ptrdiff_t(i)]; }
  const_reference operator[](size_t i) const { return begin()[ptrdiff_t(i)]; }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  const_reference front() const { return (*this)[0]; }
  const_reference back() const { return (*this)[size_ - 1]; }

  friend bool operator==(const device_vector& a, const device_vector& b) {
    return host_vector<T>(a) == host_vector<T>(b);
  }
  friend bool operator!=(const device_vector& a, const device_vector& b) { return !(a == b); }
  friend bool operator==(const device_vector& a, const std::vector<T>& b) { return host_vector<T>(a) == b; }
  friend bool operator==(const std::vector<T>& a, const device_vector& b) { return b == a; }

 private:
  device_ptr<T> memory_{nullptr};
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace warpcell_thrust
