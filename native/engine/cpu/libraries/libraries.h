// The libraries of the cpu device: what their rows work with.
#pragma once
#include <memory>

#include "../../host/planned_calls.h"
#include "../run/pool.h"
#include "../run/segments.h"

namespace warpcell::cpu {

struct LibraryContext {
  Segments& segments;
  Control* control;
  ProfileLog& log;
  Pool& pool;  // that does the work of its calls, too
};

std::unique_ptr<Libraries> cpu_libraries(LibraryContext context);

}  // namespace warpcell::cpu
