// thrust::tuple and thrust::pair for both halves of a program: values, or references to what iterators stand at.
#pragma once
#include <stddef.h>

namespace warpcell_algorithms {
template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<T&> : Plain<T> {};
template <class T>
struct Plain<const T> : Plain<T> {};
template <class T>
T&& any_value() noexcept;
struct At {
  ptrdiff_t n;
};
template <bool Is, class T = void>
struct If {};
template <class T>
struct If<true, T> {
  using type = T;
};
template <class A, class B>
struct Same {
  static constexpr bool value = false;
};
template <class A>
struct Same<A, A> {
  static constexpr bool value = true;
};
}  // namespace warpcell_algorithms

namespace warpcell_thrust {

struct null_type {};

template <class... Ts>
struct tuple;
template <>
struct tuple<> {
  tuple() = default;
  __host__ __device__ tuple(warpcell_algorithms::At, const tuple&) {}
};
template <class T, class... Rest>
struct tuple<T, Rest...> {
  using head_type = T;
  using tail_type = tuple<Rest...>;
  T head;
  tuple<Rest...> tail;

  tuple() = default;
  tuple(const tuple&) = default;
  template <class First = T, class = typename warpcell_algorithms::If<sizeof...(Rest) != 0, First>::type>
  __host__ __device__ tuple(T first, Rest... rest) : head(static_cast<T>(first)), tail(static_cast<Rest>(rest)...) {}
  template <class First, class = typename warpcell_algorithms::If<sizeof...(Rest) == 0 && sizeof(First) != 0>::type,
            class = decltype(T(warpcell_algorithms::any_value<First>()))>
  __host__ __device__ tuple(First&& only) : head(static_cast<First&&>(only)) {}
  template <class U, class... Us, class = typename warpcell_algorithms::If<sizeof...(Us) == sizeof...(Rest)>::type>
  __host__ __device__ tuple(const tuple<U, Us...>& other) : head(other.head), tail(other.tail) {}

  // What iterators have at a distance.
  template <class I, class... Is>
  __host__ __device__ tuple(warpcell_algorithms::At at, const tuple<I, Is...>& from)
      : head(from.head[at.n]), tail(at, from.tail) {}

  // What a tuple of references is given goes where they lead.
  __host__ __device__ tuple& operator=(const tuple& other) {
    head = other.head;
    tail = other.tail;
    return *this;
  }
  template <class U, class... Us>
  __host__ __device__ tuple& operator=(const tuple<U, Us...>& other) {
    head = other.head;
    tail = other.tail;
    return *this;
  }
};

template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
  pair() = default;
  __host__ __device__ pair(const A& first, const B& second) : first(first), second(second) {}
  template <class C, class D>
  __host__ __device__ pair(const pair<C, D>& other) : first(other.first), second(other.second) {}
};

template <size_t N, class T>
struct tuple_element;
template <class T, class... Rest>
struct tuple_element<0, tuple<T, Rest...>> {
  using type = T;
};
template <size_t N, class T, class... Rest>
struct tuple_element<N, tuple<T, Rest...>> : tuple_element<N - 1, tuple<Rest...>> {};
template <class T>
struct tuple_size;
template <class... Ts>
struct tuple_size<tuple<Ts...>> {
  static constexpr size_t value = sizeof...(Ts);
};

template <size_t N, class T, class... Rest>
__host__ __device__ auto& get(tuple<T, Rest...>& of) {
  if constexpr (N == 0)
    return of.head;
  else
    return get<N - 1>(of.tail);
}
template <size_t N, class T, class... Rest>
__host__ __device__ const auto& get(const tuple<T, Rest...>& of) {
  if constexpr (N == 0)
    return of.head;
  else
    return get<N - 1>(of.tail);
}
template <size_t N, class T, class... Rest>
__host__ __device__ typename tuple_element<N, tuple<T, Rest...>>::type get(tuple<T, Rest...>&& of) {
  return get<N>(of);
}
template <size_t N, class A, class B>
__host__ __device__ auto& get(pair<A, B>& of) {
  if constexpr (N == 0)
    return of.first;
  else
    return of.second;
}
template <size_t N, class A, class B>
__host__ __device__ const auto& get(const pair<A, B>& of) {
  if constexpr (N == 0)
    return of.first;
  else
    return of.second;
}

template <class... Ts>
__host__ __device__ tuple<Ts...> make_tuple(Ts... values) {
  return tuple<Ts...>(values...);
}
template <class... Ts>
__host__ __device__ tuple<Ts&...> tie(Ts&... places) {
  return tuple<Ts&...>(places...);
}
template <class A, class B>
__host__ __device__ pair<A, B> make_pair(A first, B second) {
  return pair<A, B>(first, second);
}

__host__ __device__ inline bool operator==(const tuple<>&, const tuple<>&) { return true; }
__host__ __device__ inline bool operator<(const tuple<>&, const tuple<>&) { return false; }
template <class T, class... Ts, class U, class... Us>
__host__ __device__ bool operator==(const tuple<T, Ts...>& a, const tuple<U, Us...>& b) {
  return a.head == b.head && a.tail == b.tail;
}
template <class T, class... Ts, class U, class... Us>
__host__ __device__ bool operator<(const tuple<T, Ts...>& a, const tuple<U, Us...>& b) {
  return a.head < b.head || (!(b.head < a.head) && a.tail < b.tail);
}
template <class A, class B>
__host__ __device__ bool operator==(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first == b.first && a.second == b.second;
}
template <class A, class B>
__host__ __device__ bool operator<(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
// clang-format off
#define WARPCELL_REST(type, parameters) \
  template <parameters> __host__ __device__ bool operator!=(const type& a, const type& b) { return !(a == b); } \
  template <parameters> __host__ __device__ bool operator>(const type& a, const type& b) { return b < a; } \
  template <parameters> __host__ __device__ bool operator<=(const type& a, const type& b) { return !(b < a); } \
  template <parameters> __host__ __device__ bool operator>=(const type& a, const type& b) { return !(a < b); }
#define WARPCELL_COMMA ,
// clang-format on
WARPCELL_REST(tuple<Ts...>, class... Ts)
WARPCELL_REST(pair<A WARPCELL_COMMA B>, class A WARPCELL_COMMA class B)
#undef WARPCELL_REST
#undef WARPCELL_COMMA

}  // namespace warpcell_thrust

// Where NVIDIA's own headers declare a name of Thrust, too, theirs is found.
namespace thrust {
using namespace warpcell_thrust;
}
