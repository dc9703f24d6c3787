// The libraries of the cpu device: what their rows work with.
#pragma once
#include <memory>

#include "../../host/planned_calls.h"
#include "../run/segments.h"
#include "../run/streams.h"

namespace warpcell::cpu {

struct LibraryContext {
  Segments& segments;
  Streams& streams;  // whose cores do the work of its calls, too
  ProfileLog& log;
};

using LibraryRows = PlannedCalls<LibraryContext>::Rows;

std::unique_ptr<Libraries> cpu_libraries(LibraryContext context);

}  // namespace warpcell::cpu
