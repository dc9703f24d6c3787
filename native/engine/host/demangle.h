// The name that people know a symbol of C++ by.
#pragma once
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>

namespace warpcell {

// The symbol itself where it is none of C++.
inline std::string demangle(const std::string& symbol) {
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr),
                                              std::free);
  return text ? text.get() : symbol;
}

// "void scale<float>(float*, int)" → "scale<float>": without the type of the result and the parameters.
std::string function_name(const std::string& demangled);

}  // namespace warpcell
