// Arguments and results of a call from JavaScript: turns N-API values into C++ ones and back.
#pragma once
#include <cstdint>
#include <node_api.h>
#include <string>

#include "../protocol/fields.h"
#include "error.h"

namespace warpcell {

// The arguments of one call. A getter throws ClientError when the argument has another type.
template <size_t Count>
class Arguments {
 public:
  Arguments(napi_env env, napi_callback_info info) : env_(env) {
    size_t count = Count;
    napi_get_cb_info(env, info, &count, values_, nullptr, nullptr);
  }

  uint32_t small(size_t i) const {
    uint32_t value;
    if (napi_get_value_uint32(env_, values_[i], &value) != napi_ok) wrong(i, "a small integer");
    return value;
  }

  int64_t integer(size_t i) const {
    int64_t value;
    if (napi_get_value_int64(env_, values_[i], &value) != napi_ok) wrong(i, "an integer");
    return value;
  }

  uint64_t bytes(size_t i) const {
    int64_t value = integer(i);
    if (value < 0) throw ClientError("ARGUMENT", "Expected a number of bytes but got " + std::to_string(value) + ".");
    return uint64_t(value);
  }

  bool truth(size_t i) const {
    bool value;
    if (napi_get_value_bool(env_, values_[i], &value) != napi_ok) wrong(i, "true or false");
    return value;
  }

  napi_value value(size_t i) const { return values_[i]; }

  std::string text(size_t i) const {
    std::string value;
    if (!read_text(env_, values_[i], &value)) wrong(i, "text");
    return value;
  }

  // An array of text and Uint8Array.
  Fields fields(size_t i) const {
    bool is_array = false;
    napi_is_array(env_, values_[i], &is_array);
    if (!is_array) wrong(i, "an array of fields");
    uint32_t length = 0;
    napi_get_array_length(env_, values_[i], &length);

    Fields fields;
    fields.reserve(length);
    for (uint32_t k = 0; k < length; k++) {
      napi_value element;
      napi_get_element(env_, values_[i], k, &element);
      std::string field;
      if (!read_text(env_, element, &field) && !read_bytes(env_, element, &field)) wrong(i, "an array of text and Uint8Array");
      fields.push_back(std::move(field));
    }
    return fields;
  }

 private:
  static bool read_text(napi_env env, napi_value value, std::string* out) {
    size_t length = 0;
    if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) return false;
    out->resize(length + 1);
    napi_get_value_string_utf8(env, value, &(*out)[0], length + 1, &length);
    out->resize(length);
    return true;
  }

  static bool read_bytes(napi_env env, napi_value value, std::string* out) {
    bool is_typed = false;
    napi_is_typedarray(env, value, &is_typed);
    if (!is_typed) return false;
    napi_typedarray_type type;
    size_t length = 0;
    void* data = nullptr;
    if (napi_get_typedarray_info(env, value, &type, &length, &data, nullptr, nullptr) != napi_ok || type != napi_uint8_array) return false;
    out->assign(static_cast<const char*>(data), length);
    return true;
  }

  [[noreturn]] static void wrong(size_t i, const char* expected) {
    throw ClientError("ARGUMENT", "Expected argument " + std::to_string(i + 1) + " to be " + expected + ".");
  }

  napi_env env_;
  napi_value values_[Count] = {};
};

inline napi_value number(napi_env env, double value) {
  napi_value result;
  napi_create_double(env, value, &result);
  return result;
}

inline napi_value text(napi_env env, const std::string& value) {
  napi_value result;
  napi_create_string_utf8(env, value.data(), value.size(), &result);
  return result;
}

inline napi_value boolean(napi_env env, bool value) {
  napi_value result;
  napi_get_boolean(env, value, &result);
  return result;
}

inline napi_value nothing(napi_env env) {
  napi_value result;
  napi_get_null(env, &result);
  return result;
}

inline napi_value array(napi_env env) {
  napi_value result;
  napi_create_array(env, &result);
  return result;
}

inline napi_value object(napi_env env) {
  napi_value result;
  napi_create_object(env, &result);
  return result;
}

inline void set(napi_env env, napi_value object, const char* name, napi_value value) { napi_set_named_property(env, object, name, value); }

}  // namespace warpcell
