// Values of a call from JavaScript: turns its arguments into C++ values, and looks whether a result was made.
#pragma once
#include <cstdint>
#include <napi.h>
#include <string>
#include <utility>

#include "../../protocol/fields.h"
#include "../client/error.h"

namespace warpcell {

// JavaScript has an exception of its own to throw, or ends on this thread: there is nothing to add, only a call to
// leave.
struct JavaScriptStopped {};

// A value or a reference that Node has made. Throws JavaScriptStopped when it made none.
template <class Result>
Result made(Result&& result) {
  if (result.IsEmpty()) throw JavaScriptStopped();
  return std::move(result);
}

// The arguments of one call. A getter throws ClientError when the argument has another type.
class Arguments {
 public:
  explicit Arguments(const Napi::CallbackInfo& info) : info_(info) {}

  Napi::Env env() const { return info_.Env(); }

  uint32_t small(size_t i) const {
    uint32_t value;
    if (napi_get_value_uint32(env(), info_[i], &value) != napi_ok) wrong(i, "a small integer");
    return value;
  }

  int64_t integer(size_t i) const {
    int64_t value;
    if (napi_get_value_int64(env(), info_[i], &value) != napi_ok) wrong(i, "an integer");
    return value;
  }

  uint64_t bytes(size_t i) const {
    int64_t value = integer(i);
    if (value < 0) throw ClientError("ARGUMENT", "A number of bytes cannot be " + std::to_string(value) + ".");
    return uint64_t(value);
  }

  bool truth(size_t i) const {
    if (!info_[i].IsBoolean()) wrong(i, "true or false");
    return info_[i].As<Napi::Boolean>();
  }

  Napi::Object object(size_t i) const {
    if (!info_[i].IsObject()) wrong(i, "an object");
    return info_[i].As<Napi::Object>();
  }

  std::string text(size_t i) const {
    if (!info_[i].IsString()) wrong(i, "text");
    return info_[i].As<Napi::String>();
  }

  Napi::Uint8Array byte_array(size_t i) const {
    if (!is_bytes(info_[i])) wrong(i, "a Uint8Array");
    return info_[i].As<Napi::Uint8Array>();
  }

  // An array of text and Uint8Array.
  Fields fields(size_t i) const {
    if (!info_[i].IsArray()) wrong(i, "an array of fields");
    auto array = info_[i].As<Napi::Array>();
    uint32_t length = array.Length();

    Fields fields;
    fields.reserve(length);
    for (uint32_t k = 0; k < length; k++) {
      Napi::HandleScope scope(env());
      Napi::Value element = made(Napi::Value(array.Get(k)));
      if (element.IsString())
        fields.push_back(element.As<Napi::String>());
      else if (is_bytes(element))
        fields.push_back(text_of(element.As<Napi::Uint8Array>()));
      else
        wrong(i, "an array of text and Uint8Array");
    }
    return fields;
  }

 private:
  static bool is_bytes(const Napi::Value& value) {
    return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == napi_uint8_array;
  }

  static std::string text_of(const Napi::Uint8Array& bytes) {
    return {reinterpret_cast<const char*>(bytes.Data()), bytes.ElementLength()};
  }

  [[noreturn]] static void wrong(size_t i, const char* expected) {
    throw ClientError("ARGUMENT", "Argument " + std::to_string(i + 1) + " must be " + expected + ".");
  }

  const Napi::CallbackInfo& info_;
};

}  // namespace warpcell
