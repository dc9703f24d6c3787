// Tensors of the notebook in the host functions of a cell: what load_inline gives in PyTorch, with the session as the
// owner of all memory.
#pragma once
#include <cuda_runtime.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../warpcell_program/session.h"

struct __half;
struct __nv_bfloat16;

namespace warpcell {

enum class DType : int32_t {
#define X(name, text) name,
  WARPCELL_DTYPES(X)
#undef X
};
#define X(name, text) inline constexpr DType name = DType::name;
WARPCELL_DTYPES(X)
#undef X

inline const char* name_of(DType dtype) {
#define X(name, text) text,
  static const char* const names[] = {WARPCELL_DTYPES(X)};
#undef X
  return names[int(dtype)];
}

// What WARPCELL_CHECK throws, and what tensors do: an error of JavaScript where nobody catches it.
struct Error : std::runtime_error {
  Error(const std::string& text, const char* file, unsigned line) : std::runtime_error(text), file(file), line(line) {}
  const char* file;
  unsigned line;
};

namespace host {

// --- messages

inline void put(std::string& text, const char* part) { text += part; }
inline void put(std::string& text, const std::string& part) { text += part; }
inline void put(std::string& text, char part) { text += part; }
inline void put(std::string& text, bool part) { text += part ? "true" : "false"; }
inline void put(std::string& text, DType dtype) { text += name_of(dtype); }
inline void put(std::string& text, double part) {
  char number[32];
  snprintf(number, sizeof number, "%g", part);
  text += number;
}
inline void put(std::string& text, float part) { put(text, double(part)); }
template <class T, class = decltype(std::to_string(T()))>
void put(std::string& text, T part) {
  text += std::to_string(part);
}
template <class T>
void put(std::string& text, const std::vector<T>& parts) {
  text += '[';
  for (size_t i = 0; i < parts.size(); i++) {
    if (i > 0) text += ", ";
    put(text, parts[i]);
  }
  text += ']';
}
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string text;
  (put(text, parts), ...);
  return text;
}
template <class... Parts>
[[noreturn]] void fail(const char* file, unsigned line, const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(parts) == 0)
    throw Error(std::string("The check ") + condition + " failed.", file, line);
  else
    throw Error(joined(parts...), file, line);
}

// --- types

template <class T>
struct Element;  // has no dtype
// clang-format off
template <> struct Element<float> { static constexpr DType dtype = DType::float32; };
template <> struct Element<double> { static constexpr DType dtype = DType::float64; };
template <> struct Element<__half> { static constexpr DType dtype = DType::float16; };
template <> struct Element<__nv_bfloat16> { static constexpr DType dtype = DType::bfloat16; };
template <> struct Element<char> { static constexpr DType dtype = DType::int8; };
template <> struct Element<signed char> { static constexpr DType dtype = DType::int8; };
template <> struct Element<unsigned char> { static constexpr DType dtype = DType::uint8; };
template <> struct Element<short> { static constexpr DType dtype = DType::int16; };
template <> struct Element<unsigned short> { static constexpr DType dtype = DType::uint16; };
template <> struct Element<int> { static constexpr DType dtype = DType::int32; };
template <> struct Element<unsigned> { static constexpr DType dtype = DType::uint32; };
template <> struct Element<long> { static constexpr DType dtype = DType::int64; };
template <> struct Element<long long> { static constexpr DType dtype = DType::int64; };
template <> struct Element<unsigned long> { static constexpr DType dtype = DType::uint64; };
template <> struct Element<unsigned long long> { static constexpr DType dtype = DType::uint64; };
template <> struct Element<bool> { static constexpr DType dtype = DType::boolean; };
template <> struct Element<float2> { static constexpr DType dtype = DType::complex64; };
template <> struct Element<double2> { static constexpr DType dtype = DType::complex128; };
// clang-format on

}  // namespace host

// What a kernel calls Tensor<T, N>.
template <class T, int N>
struct TensorView {
  T* data;
  long long shape[N];
  long long strides[N];
};

#define WARPCELL_AT const char *warpcell_file = __builtin_FILE(), unsigned warpcell_line = __builtin_LINE()

// A tensor of the notebook. Copies are the same tensor, which may be used until the function returns.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other) : tensor_(other.tensor_) {
    if (tensor_ != nullptr) warpcell_tensor_hold(tensor_);
  }
  Tensor(Tensor&& other) noexcept : tensor_(other.tensor_) { other.tensor_ = nullptr; }
  Tensor& operator=(Tensor other) noexcept {
    std::swap(tensor_, other.tensor_);
    return *this;
  }
  ~Tensor() {
    if (tensor_ != nullptr) warpcell_tensor_drop(tensor_);
  }

  // False of one that was never given a value.
  bool defined() const { return tensor_ != nullptr; }

  // The address of the first element, on the device. T is the type of the elements.
  template <class T>
  T* data(WARPCELL_AT) const {
    constexpr DType wanted = host::Element<std::remove_cv_t<T>>::dtype;
    if (dtype(warpcell_file, warpcell_line) != wanted)
      throw Error(
          host::joined("data<T>() was called for ", wanted, " of a tensor of dtype ", DType(tensor_->dtype), "."),
          warpcell_file, warpcell_line);
    return static_cast<T*>(tensor_->data);
  }
  // The same of any dtype.
  void* data(WARPCELL_AT) const { return facts(warpcell_file, warpcell_line).data; }

  DType dtype(WARPCELL_AT) const { return DType(facts(warpcell_file, warpcell_line).dtype); }
  int64_t dim(WARPCELL_AT) const { return facts(warpcell_file, warpcell_line).dim; }
  int64_t numel(WARPCELL_AT) const { return facts(warpcell_file, warpcell_line).numel; }
  std::vector<int64_t> sizes(WARPCELL_AT) const {
    const warpcell_tensor& t = facts(warpcell_file, warpcell_line);
    return {t.sizes, t.sizes + t.dim};
  }
  std::vector<int64_t> strides(WARPCELL_AT) const {
    const warpcell_tensor& t = facts(warpcell_file, warpcell_line);
    return {t.strides, t.strides + t.dim};
  }
  // Of one axis; -1 is the last one.
  int64_t size(int64_t axis, WARPCELL_AT) const {
    return facts(warpcell_file, warpcell_line).sizes[checked(axis, warpcell_file, warpcell_line)];
  }
  int64_t stride(int64_t axis, WARPCELL_AT) const {
    return facts(warpcell_file, warpcell_line).strides[checked(axis, warpcell_file, warpcell_line)];
  }
  // The elements lie in row-major order without gaps.
  bool is_contiguous(WARPCELL_AT) const {
    const warpcell_tensor& t = facts(warpcell_file, warpcell_line);
    int64_t expected = 1;
    for (int axis = t.dim - 1; axis >= 0; axis--) {
      if (t.sizes[axis] != 1 && t.strides[axis] != expected) return t.numel == 0;
      expected *= t.sizes[axis];
    }
    return true;
  }
  // This tensor where it is contiguous, else a copy that is.
  Tensor contiguous(WARPCELL_AT) const {
    if (is_contiguous(warpcell_file, warpcell_line)) return *this;
    const char* problem = nullptr;
    return taken(warpcell_tensor_contiguous(tensor_, warpcell_line, &problem), problem, warpcell_file, warpcell_line);
  }
  // The one element, once all that came before is done.
  template <class T>
  T item(WARPCELL_AT) const {
    if (numel(warpcell_file, warpcell_line) != 1)
      throw Error(host::joined("item() takes a tensor with one element, but this one has ", tensor_->numel, "."),
                  warpcell_file, warpcell_line);
    T value;
    const T* from = data<T>(warpcell_file, warpcell_line);
    if (cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost, warpcell_line) != cudaSuccess)
      throw Error("item() could not read the element.", warpcell_file, warpcell_line);
    return value;
  }

  // For kernels that take Tensor<T, N>.
  template <class T, int N>
  operator TensorView<T, N>() const {
    static_assert(N >= 1 && N <= 16, "A warpcell::Tensor<T, N> has from 1 to 16 axes.");
    const warpcell_tensor& t = facts(nullptr, 0);
    if (t.dim != N)
      throw Error(host::joined("A kernel takes a tensor with ", N, " axes, but got one with ", t.dim, "."), nullptr, 0);
    TensorView<T, N> view{data<T>(nullptr, 0), {}, {}};
    for (int axis = 0; axis < N; axis++) {
      view.shape[axis] = t.sizes[axis];
      view.strides[axis] = t.strides[axis];
    }
    return view;
  }

  // For the library: takes over one hold.
  explicit Tensor(warpcell_tensor* tensor) : tensor_(tensor) {}
  warpcell_tensor* handle() const { return tensor_; }
  static Tensor taken(warpcell_tensor* tensor, const char* problem, const char* file, unsigned line) {
    if (tensor == nullptr) throw Error(problem, file, line);
    return Tensor(tensor);
  }

 private:
  const warpcell_tensor& facts(const char* file, unsigned line) const {
    if (tensor_ == nullptr) throw Error("This warpcell::Tensor has no value.", file, line);
    if (!warpcell_tensor_is_current(tensor_))
      throw Error(
          "This warpcell::Tensor was kept from an earlier call, whose tensors end with it: take it as an argument.",
          file, line);
    return *tensor_;
  }
  int64_t checked(int64_t axis, const char* file, unsigned line) const {
    int64_t from_start = axis < 0 ? axis + tensor_->dim : axis;
    if (from_start < 0 || from_start >= tensor_->dim)
      throw Error(host::joined("Axis ", axis, " does not exist: the tensor has ", tensor_->dim, " axes."), file, line);
    return from_start;
  }

  warpcell_tensor* tensor_ = nullptr;
};

using Sizes = std::vector<int64_t>;

namespace host {

inline Tensor make(const Sizes& sizes, DType dtype, const double* fill, const char* file, unsigned line) {
  const char* problem = nullptr;
  return Tensor::taken(warpcell_tensor_new(sizes.data(), sizes.size(), int32_t(dtype), fill, line, &problem), problem,
                       file, line);
}

}  // namespace host

// New tensors on the device of the function. The contents of an empty one are undefined.
inline Tensor full(const Sizes& sizes, double value, DType dtype = float32, WARPCELL_AT) {
  return host::make(sizes, dtype, &value, warpcell_file, warpcell_line);
}
inline Tensor empty(const Sizes& sizes, DType dtype = float32, WARPCELL_AT) {
  return host::make(sizes, dtype, nullptr, warpcell_file, warpcell_line);
}
inline Tensor zeros(const Sizes& sizes, DType dtype = float32, WARPCELL_AT) {
  return full(sizes, 0, dtype, warpcell_file, warpcell_line);
}
inline Tensor ones(const Sizes& sizes, DType dtype = float32, WARPCELL_AT) {
  return full(sizes, 1, dtype, warpcell_file, warpcell_line);
}
// The same with the shape of another one, and its dtype.
inline Tensor full_like(const Tensor& x, double value, WARPCELL_AT) {
  return full(x.sizes(warpcell_file, warpcell_line), value, x.dtype(warpcell_file, warpcell_line), warpcell_file,
              warpcell_line);
}
inline Tensor empty_like(const Tensor& x, WARPCELL_AT) {
  return empty(x.sizes(warpcell_file, warpcell_line), x.dtype(warpcell_file, warpcell_line), warpcell_file,
               warpcell_line);
}
inline Tensor zeros_like(const Tensor& x, WARPCELL_AT) { return full_like(x, 0, warpcell_file, warpcell_line); }
inline Tensor ones_like(const Tensor& x, WARPCELL_AT) { return full_like(x, 1, warpcell_file, warpcell_line); }

namespace host {

// --- arguments, as the session has checked them

template <class T>
struct Taken {
  static T from(const warpcell_value& value) {
    if constexpr (std::is_floating_point_v<T>)
      return T(value.number);
    else
      return T(value.integer);
  }
};
template <>
struct Taken<Tensor> {
  static Tensor from(const warpcell_value& value) {
    warpcell_tensor_hold(value.tensor);
    return Tensor(value.tensor);
  }
};
template <>
struct Taken<std::string> {
  static std::string from(const warpcell_value& value) { return std::string(value.text, value.count); }
};
template <class T>
struct Taken<std::optional<T>> {
  static std::optional<T> from(const warpcell_value& value) {
    if (value.kind == warpcell_none) return std::nullopt;
    return Taken<T>::from(value);
  }
};
template <class T>
struct Taken<std::vector<T>> {
  static std::vector<T> from(const warpcell_value& value) {
    std::vector<T> items;
    for (size_t i = 0; i < value.count; i++) items.push_back(Taken<T>::from(value.items[i]));
    return items;
  }
};

// --- results

template <class T>
void give(const std::optional<T>& value);
template <class T>
void give(const std::vector<T>& values);
template <class A, class B>
void give(const std::pair<A, B>& values);
template <class... T>
void give(const std::tuple<T...>& values);

inline void give(const Tensor& value) {
  if (!value.defined()) throw Error("The function returned a warpcell::Tensor that has no value.", nullptr, 0);
  if (!warpcell_tensor_is_current(value.handle()))
    throw Error("The function returned a warpcell::Tensor that was kept from an earlier call.", nullptr, 0);
  warpcell_give_tensor(value.handle());
}
inline void give(const std::string& value) { warpcell_give_text(value.data(), value.size()); }
inline void give(const char* value) { warpcell_give_text(value, strlen(value)); }
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
void give(T value) {
  if constexpr (std::is_same_v<T, bool>)
    warpcell_give_boolean(value);
  else if constexpr (std::is_floating_point_v<T>)
    warpcell_give_number(value);
  else if constexpr (std::is_signed_v<T>)
    warpcell_give_integer(value);
  else
    warpcell_give_unsigned(value);
}
template <class T>
void give(const std::optional<T>& value) {
  if (value.has_value())
    give(*value);
  else
    warpcell_give_none();
}
template <class T>
void give(const std::vector<T>& values) {
  warpcell_give_open();
  for (const auto& value : values) give(T(value));
  warpcell_give_close();
}
template <class A, class B>
void give(const std::pair<A, B>& values) {
  give(std::tuple<A, B>(values.first, values.second));
}
template <class... T>
void give(const std::tuple<T...>& values) {
  warpcell_give_open();
  std::apply([](const auto&... each) { (give(each), ...); }, values);
  warpcell_give_close();
}

// Calls a function of the user's: no exception leaves it.
template <class Call>
void run(const Call& call) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      warpcell_give_none();
    } else {
      give(call());
    }
  } catch (const Error& error) {
    warpcell_give_exception(error.what(), error.file, error.line);
  } catch (const std::exception& error) { warpcell_give_exception(error.what(), nullptr, 0); } catch (...) {
    warpcell_give_exception("It threw something that is no std::exception.", nullptr, 0);
  }
}

}  // namespace host
}  // namespace warpcell

// Throws an error of JavaScript with the text, the cell and the line where the condition does not hold.
#define WARPCELL_CHECK(condition, ...)                                                                   \
  do {                                                                                                   \
    if (!(condition)) ::warpcell::host::fail(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
