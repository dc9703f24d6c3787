// "helper_string.h" as programs after CUDA's samples include it: arguments such as -n=1000 and --verbose.
#pragma once
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// What stands behind the = of an argument, "" where there is none; null: there is no such argument.
static inline const char* warpcell_argument(int count, const char** arguments, const char* name) {
  for (int i = 1; i < count; i++) {
    const char* text = arguments[i] + strspn(arguments[i], "-");
    size_t length = strcspn(text, "=");
    if (length != strlen(name) || strncasecmp(text, name, length) != 0) continue;
    return text[length] == '=' ? text + length + 1 : "";
  }
  return nullptr;
}

static inline bool checkCmdLineFlag(int count, const char** arguments, const char* name) {
  return warpcell_argument(count, arguments, name) != nullptr;
}
static inline int getCmdLineArgumentInt(int count, const char** arguments, const char* name) {
  const char* value = warpcell_argument(count, arguments, name);
  return value == nullptr ? 0 : atoi(value);
}
static inline float getCmdLineArgumentFloat(int count, const char** arguments, const char* name) {
  const char* value = warpcell_argument(count, arguments, name);
  return value == nullptr ? 0 : float(atof(value));
}
static inline bool getCmdLineArgumentString(int count, const char** arguments, const char* name, char** text) {
  const char* value = warpcell_argument(count, arguments, name);
  *text = const_cast<char*>(value);
  return value != nullptr;
}
