// Opens libraries for themselves alone: their names do not mix with those of others.
#include "dynamic_library.h"

#include <dlfcn.h>

namespace warpcell {

DynamicLibrary::DynamicLibrary(const std::string& path)
    : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ != nullptr) return;
  const char* reason = dlerror();
  error_ = reason == nullptr ? path + " cannot be opened" : reason;
}

void* DynamicLibrary::address(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

std::string DynamicLibrary::file_of(const char* symbol) const {
  void* function = address(symbol);
  Dl_info place;
  bool placed = function != nullptr && dladdr(function, &place) != 0 && place.dli_fname != nullptr;
  return placed ? place.dli_fname : path_;
}

}  // namespace warpcell
