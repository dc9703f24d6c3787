// "helper_string.h" as programs after CUDA's samples include it: arguments such as -n=1000 and --verbose, and files
// beside a program.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <fstream>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, length, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define FSCANF fscanf
#define SSCANF sscanf
#define SPRINTF sprintf

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
template <class T>
inline bool getCmdLineArgumentValue(int count, const char** arguments, const char* name, T* number) {
  const char* value = warpcell_argument(count, arguments, name);
  if (value != nullptr) *number = T(atoi(value));
  return value != nullptr;
}

// How many of `mark` a text begins with.
static inline int stringRemoveDelimiter(char mark, const char* text) {
  int count = 0;
  while (text[count] == mark) count++;
  return count >= int(strlen(text)) - 1 ? 0 : count;
}
// The length is that of the part in front of the extension.
static inline int getFileExtension(char* name, char** extension) {
  char* dot = strrchr(name, '.');
  *extension = dot == nullptr ? nullptr : dot + 1;
  return dot == nullptr ? int(strlen(name)) : int(dot - name);
}

// Where a file of that name is: in the program's folder, or in one for data that is in it or beside it. Null: nowhere.
// The text is the caller's to free.
static inline char* sdkFindFilePath(const char* name, const char*) {
  for (const char* folder : {"", "data/", "../data/", "../../data/", "../"}) {
    std::string path = std::string(folder) + name;
    if (FILE* file = fopen(path.c_str(), "rb")) {
      fclose(file);
      return strdup(path.c_str());
    }
  }
  return nullptr;
}
