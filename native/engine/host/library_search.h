// Libraries that a device opens at run time, where this machine has them: what is known of each, and which of several
// files is opened.
#pragma once
#include <cstdlib>
#include <string>
#include <vector>

#include "errors.h"
#include "json.h"

namespace warpcell {

// A row of a device's table.
struct LibraryRow {
  const char* name;      // "cuBLASLt"
  const char* purpose;   // "matrix products"
  const char* without;   // what is so without it, as the rest of a sentence
  const char* file;      // "libcublasLt.so"
  const char* variable;  // names a file instead, or none by "off"; null where there is none
  const char* searched;  // where it is looked for, in words
  const char* remedy;    // how to get it, as the rest of a sentence
};

// A sentence: where it was looked for, what is so without it, and the way to get it.
inline std::string missing_sentence(const LibraryRow& row) {
  return std::string(row.name) + " was not found in " + row.searched + ", and without it " + row.without +
         ". Get it with: " + row.remedy + ".";
}

// `try_open` is false, with a reason, where a file is of no use. Throws DeviceError: OPTION when the variable names one
// that is of no use, NO_LIBRARY when there is none. `files`: best first; a name without a slash is the loader's to
// find.
template <class Api, class TryOpen>
Api open_first(const LibraryRow& row, const std::vector<std::string>& files, TryOpen try_open) {
  const char* named = std::getenv(row.variable);
  std::string wanted = named == nullptr ? "" : named;
  if (wanted == "off")
    throw DeviceError("NO_LIBRARY", std::string(row.name) + " is switched off (" + row.variable +
                                        " is \"off\"), and without it " + row.without + ".");

  std::string reason;
  if (!wanted.empty()) {
    Api api;
    if (try_open(wanted, &api, &reason)) return api;
    throw DeviceError("OPTION", std::string(row.variable) + " names " + wanted + ", which cannot be used (" + reason +
                                    "). Name another file, \"off\", or none.");
  }
  std::string reasons;
  for (const std::string& file : files) {
    Api api;
    if (try_open(file, &api, &reason)) return api;
    reasons += (reasons.empty() ? "" : "\n") + reason;
  }
  throw DeviceError("NO_LIBRARY", missing_sentence(row), reasons);
}

// The file and version of a library that was opened.
struct OpenedLibrary {
  std::string path, version;
};

// A row as Device::known_libraries() gives it; `open` throws DeviceError where the library cannot be used.
template <class Open>
std::string describe_library(const LibraryRow& row, Open open) {
  JsonObject described;
  described.text("name", row.name).text("purpose", row.purpose);
  try {
    OpenedLibrary library = open();
    return described.text("path", library.path).text("version", library.version).raw("missing", "null").done();
  } catch (const DeviceError& error) {
    return described.raw("path", "null").raw("version", "null").text("missing", error.what()).done();
  }
}

}  // namespace warpcell
