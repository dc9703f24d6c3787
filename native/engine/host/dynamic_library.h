// A dynamic library that is opened at run time and stays open: turns names into functions.
#pragma once
#include <string>

namespace warpcell {

class DynamicLibrary {
 public:
  // `path`: a file, or a name that the loader knows. What cannot be opened is false, and error() says why.
  explicit DynamicLibrary(const std::string& path);

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& error() const { return error_; }

  // Fills a pointer to a function, with null where the library lacks it; returns whether it is there.
  template <class F>
  bool resolve(const char* symbol, F*& function) const {
    function = reinterpret_cast<F*>(address(symbol));
    return function != nullptr;
  }

  // The file that the library's `symbol` comes from, or the path that was asked for.
  std::string file_of(const char* symbol) const;

 private:
  void* address(const char* symbol) const;

  std::string path_;
  std::string error_;
  void* handle_ = nullptr;
};

}  // namespace warpcell
