// What host functions of cells ask of the process that runs them: tensors, whose memory the session owns, and where
// arguments and results go. Text and arrays are the caller's, or valid during the call.
#pragma once
#include <stddef.h>
#include <stdint.h>

extern "C" {

// As long as somebody holds it. It may be used during the call of the host function that it belongs to.
struct warpcell_tensor {
  void* data;              // an address of the device
  const int64_t* sizes;    // of each axis
  const int64_t* strides;  // in elements
  int64_t numel;
  int32_t dim;
  int32_t dtype;  // by its place in WARPCELL_DTYPES
};

// clang-format off
// X(name in C++, name)
#define WARPCELL_DTYPES(X) \
  X(float32, "float32") X(float64, "float64") X(float16, "float16") X(bfloat16, "bfloat16") \
  X(int8, "int8") X(uint8, "uint8") X(int16, "int16") X(uint16, "uint16") X(int32, "int32") X(uint32, "uint32") \
  X(int64, "int64") X(uint64, "uint64") X(boolean, "bool") X(complex64, "complex64") X(complex128, "complex128") \
  X(float8_e4m3, "float8_e4m3") X(float8_e5m2, "float8_e5m2")
// clang-format on

enum warpcell_kind {
  warpcell_none,
  warpcell_boolean,
  warpcell_integer,
  warpcell_number,
  warpcell_text,
  warpcell_is_tensor,
  warpcell_list
};

// An argument.
struct warpcell_value {
  int32_t kind;
  int64_t integer;
  double number;
  const char* text;
  size_t count;  // of bytes of the text, or of items
  const warpcell_value* items;
  warpcell_tensor* tensor;
};

// Both make a tensor, which the caller holds, or return null and say why. `fill`: null for undefined contents.
warpcell_tensor* warpcell_tensor_new(const int64_t* sizes, size_t dim, int32_t dtype, const double* fill, unsigned line,
                                     const char** problem);
warpcell_tensor* warpcell_tensor_contiguous(warpcell_tensor* tensor, unsigned line, const char** problem);
void warpcell_tensor_hold(warpcell_tensor* tensor);
void warpcell_tensor_drop(warpcell_tensor* tensor);
// It belongs to the call that is under way.
int warpcell_tensor_is_current(const warpcell_tensor* tensor);

// The result, in order; parts of a list between open and close.
void warpcell_give_none(void);
void warpcell_give_boolean(int value);
void warpcell_give_integer(int64_t value);
void warpcell_give_unsigned(uint64_t value);
void warpcell_give_number(double value);
void warpcell_give_text(const char* text, size_t bytes);
void warpcell_give_tensor(warpcell_tensor* tensor);
void warpcell_give_open(void);
void warpcell_give_close(void);
// The function threw. `file`: null where no place is known.
void warpcell_give_exception(const char* what, const char* file, unsigned line);

}  // extern "C"
