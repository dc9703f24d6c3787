// cuda::std for the host code of a program: the C++ library, under the name that both halves have for it.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#if __cplusplus >= 202002L
#include <bit>
#include <span>
#endif

namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda
