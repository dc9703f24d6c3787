// Chooses one of several files that may be a library: turns the name in a variable, or the places where it may lie,
// into a table of functions.
#pragma once
#include <cstdlib>
#include <string>
#include <vector>

#include "errors.h"

namespace warpcell {

struct LibrarySearch {
  const char* name;                // "cuBLASLt"
  const char* variable;            // names a file instead; "off": none
  std::vector<std::string> files;  // best first; a name without a slash is the loader's to find
  const char* missing;             // a sentence with the way to get it
};

// `try_open` is false, with a reason, where a file is of no use. Throws DeviceError: OPTION when the variable names one
// that is of no use, NO_LIBRARY when there is none.
template <class Api, class TryOpen>
Api open_first(const LibrarySearch& search, TryOpen try_open) {
  const char* named = std::getenv(search.variable);
  std::string wanted = named == nullptr ? "" : named;
  if (wanted == "off")
    throw DeviceError("NO_LIBRARY", std::string(search.name) + " is switched off: " + search.variable + " is \"off\".");

  std::string reason;
  if (!wanted.empty()) {
    Api api;
    if (try_open(wanted, &api, &reason)) return api;
    throw DeviceError("OPTION", std::string(search.variable) + " names " + wanted + ", which cannot be used (" +
                                    reason + "). Name another file, \"off\", or none.");
  }
  std::string reasons;
  for (const std::string& file : search.files) {
    Api api;
    if (try_open(file, &api, &reason)) return api;
    reasons += (reasons.empty() ? "" : "\n") + reason;
  }
  throw DeviceError("NO_LIBRARY", search.missing, reasons);
}

}  // namespace warpcell
