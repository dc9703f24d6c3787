// Where an algorithm runs: on the host, or on a stream of the device. Both do something for each of n numbers, and have
// room for what is in between.
#pragma once
#include <algorithm>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define WARPCELL_HOST_CODE 1
#include "../templates.h"
#include "../../../include/warpcell/thrust.cuh"

namespace warpcell_thrust {

// A call of CUDA in an algorithm has failed.
class system_error : public std::runtime_error {
 public:
  explicit system_error(cudaError_t error) : std::runtime_error(cudaGetErrorString(error)), error_(error) {}
  cudaError_t code() const { return error_; }

 private:
  cudaError_t error_;
};
namespace system {
using warpcell_thrust::system_error;
}

struct any_policy {};
struct host_policy : any_policy {};
struct device_policy : any_policy {
  cudaStream_t stream = nullptr;
  device_policy on(cudaStream_t other) const {
    device_policy policy;
    policy.stream = other;
    return policy;
  }
  template <class Allocator>
  device_policy operator()(Allocator&) const {
    return *this;
  }
};
static const host_policy host, seq;
static const device_policy device;
namespace cuda {
static const device_policy par, par_nosync;
}
namespace system {
namespace cuda {
static const device_policy par, par_nosync;
}
}  // namespace system
namespace cuda_cub {
using warpcell_thrust::cuda::par;
}
namespace cpp {
static const host_policy par;
}

}  // namespace warpcell_thrust

namespace warpcell_algorithms {

// The line of the call, in the source of the program.
struct CallLine {
  explicit CallLine(WARPCELL_LINE) : line(warpcell_line) {}
  unsigned line;
};

struct Apart {};

inline void expect(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (error != cudaSuccess) throw warpcell_thrust::system_error(error);
}

// Room that has a size before it has a place: whoever measures asks for the same as whoever runs.
class Room {
 public:
  explicit Room(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <class T>
  T* room(size_t count) {
    size_t at = used_;
    used_ = (used_ + count * sizeof(T) + 255) / 256 * 256;
    return memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + at);
  }
  size_t used() const { return used_; }

 private:
  char* memory_;
  size_t used_ = 0;
};

class OnDevice : public Room {
 public:
  OnDevice(cudaStream_t stream, CallLine at, bool measures, void* memory)
      : Room(memory), stream_(stream), line_(at.line), measures_(measures) {}
  static size_t stretch(size_t) { return kStretch; }
  template <class Body>
  void each(size_t count, Body body) {
    if (measures_ || count == 0) return;
    constexpr unsigned block = 256;
    ::warpcell_program::configure(line_, dim3(unsigned((count + block - 1) / block)), dim3(block), 0, stream_);
    for_each_number<Body>(body, count);
    expect(cudaPeekAtLastError());
  }
  // What stands there once all is done.
  template <class T>
  T read(const T* place) const {
    alignas(T) unsigned char bytes[sizeof(T)] = {};
    if (!measures_) {
      expect(cudaMemcpyAsync(bytes, place, sizeof(T), cudaMemcpyDeviceToHost, stream_, line_));
      expect(cudaStreamSynchronize(stream_, line_));
    }
    return *reinterpret_cast<T*>(bytes);
  }

 private:
  cudaStream_t stream_;
  unsigned line_;
  bool measures_;
};

class OnHost : public Room {
 public:
  OnHost(bool measures, void* memory) : Room(memory), measures_(measures) {}
  static size_t stretch(size_t count) { return count == 0 ? 1 : count; }
  template <class Body>
  void each(size_t count, Body body) {
    if (measures_) return;
    for (size_t i = 0; i < count; i++) body(i);
  }
  template <class T>
  T read(const T* place) const {
    alignas(T) unsigned char bytes[sizeof(T)] = {};
    return measures_ ? *reinterpret_cast<T*>(bytes) : *place;
  }

 private:
  bool measures_;
};

// Does the work with as much room as it asks for.
template <class Work>
auto run(const warpcell_thrust::host_policy&, CallLine, Work work) {
  OnHost measured(true, nullptr);
  work(measured);
  std::vector<max_align_t> memory(measured.used() / sizeof(max_align_t) + 1);
  OnHost on(false, memory.data());
  return work(on);
}
// Memory of the device that ends with the algorithm.
struct Borrowed {
  Borrowed(size_t bytes, cudaStream_t stream, unsigned line) : stream(stream), line(line) {
    if (bytes > 0) expect(cudaMallocAsync(&memory, bytes, stream, line));
  }
  ~Borrowed() {
    if (memory != nullptr) (void)cudaFreeAsync(memory, stream, line);
  }
  void* memory = nullptr;
  cudaStream_t stream;
  unsigned line;
};
template <class Work>
auto run(const warpcell_thrust::device_policy& policy, CallLine at, Work work) {
  OnDevice measured(policy.stream, at, true, nullptr);
  work(measured);
  Borrowed borrowed(measured.used(), policy.stream, at.line);
  OnDevice on(policy.stream, at, false, borrowed.memory);
  struct Check {
    const warpcell_thrust::device_policy& policy;
    unsigned line;
    void operator()() const { expect(cudaStreamSynchronize(policy.stream, line)); }
  } done{policy, at.line};
  using Result = decltype(work(on));
  if constexpr (Same<Result, void>::value) {
    work(on);
    done();
  } else {
    Result result = work(on);
    done();
    return result;
  }
}

// The iterators of the C++ library; pointers, and what is ours, are told apart elsewhere.
template <class I>
Apart ours_or_pointer(const I&, typename I::of_warpcell*);
template <class I>
Apart ours_or_pointer(I*, void*);
struct Foreign {};
template <class I>
Foreign ours_or_pointer(const I&, ...);
template <class I>
using IsForeign = typename If<sizeof(typename std::iterator_traits<I>::iterator_category*) != 0 &&
                              Same<decltype(ours_or_pointer(any_value<I>(), nullptr)), Foreign>::value>::type;
template <class I>
struct ValueOf<I, IsForeign<I>> : Plain<typename std::iterator_traits<I>::value_type> {};
template <class I>
struct PlaceOf<I, IsForeign<I>> {
  static constexpr Place value = Place::host;
};
// How many elements there are.
template <class I>
size_t length(I first, I last) {
  if constexpr (PlaceOf<I>::value == Place::host)
    return size_t(std::distance(first, last));
  else
    return size_t(last - first);
}

// Where an algorithm runs that is not told where: with its elements.
template <class... Args>
auto policy_of() {
  constexpr bool has_host = (false || ... || (PlaceOf<Args>::value == Place::host));
  constexpr bool has_device = (false || ... || (PlaceOf<Args>::value == Place::device));
  static_assert(!(has_host && has_device),
                "this algorithm is given elements of the host and of the device: copy them to one side first");
  if constexpr (has_host)
    return warpcell_thrust::host_policy();
  else
    return warpcell_thrust::device_policy();
}

template <class P>
using Policy = typename If<__is_base_of(warpcell_thrust::any_policy, P), int>::type;
template <class I>
using NoPolicy = typename If<!__is_base_of(warpcell_thrust::any_policy, I), int>::type;

}  // namespace warpcell_algorithms

// The forms of an algorithm without a policy.
// clang-format off
#define WARPCELL_LINE_OF_CALL ::warpcell_algorithms::CallLine line = ::warpcell_algorithms::CallLine()
#define WARPCELL_PLAIN_2(name) template <class A, class B, ::warpcell_algorithms::NoPolicy<A> = 0> \
  auto name(A a, B b, WARPCELL_LINE_OF_CALL) { return name(::warpcell_algorithms::policy_of<A, B>(), a, b, line); }
#define WARPCELL_PLAIN_3(name) template <class A, class B, class C, ::warpcell_algorithms::NoPolicy<A> = 0> \
  auto name(A a, B b, C c, WARPCELL_LINE_OF_CALL) { \
    return name(::warpcell_algorithms::policy_of<A, B, C>(), a, b, c, line); }
#define WARPCELL_PLAIN_4(name) template <class A, class B, class C, class D, ::warpcell_algorithms::NoPolicy<A> = 0> \
  auto name(A a, B b, C c, D d, WARPCELL_LINE_OF_CALL) { \
    return name(::warpcell_algorithms::policy_of<A, B, C, D>(), a, b, c, d, line); }
#define WARPCELL_PLAIN_5(name) \
  template <class A, class B, class C, class D, class E, ::warpcell_algorithms::NoPolicy<A> = 0> \
  auto name(A a, B b, C c, D d, E e, WARPCELL_LINE_OF_CALL) { \
    return name(::warpcell_algorithms::policy_of<A, B, C, D, E>(), a, b, c, d, e, line); }
#define WARPCELL_PLAIN_6(name) \
  template <class A, class B, class C, class D, class E, class F, ::warpcell_algorithms::NoPolicy<A> = 0> \
  auto name(A a, B b, C c, D d, E e, F f, WARPCELL_LINE_OF_CALL) { \
    return name(::warpcell_algorithms::policy_of<A, B, C, D, E, F>(), a, b, c, d, e, f, line); }
#define WARPCELL_PLAIN_7(name) \
  template <class A, class B, class C, class D, class E, class F, class G, ::warpcell_algorithms::NoPolicy<A> = 0> \
  auto name(A a, B b, C c, D d, E e, F f, G g, WARPCELL_LINE_OF_CALL) { \
    return name(::warpcell_algorithms::policy_of<A, B, C, D, E, F, G>(), a, b, c, d, e, f, g, line); }
// clang-format on
