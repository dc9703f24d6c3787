// The libraries of a cuda device: what their rows work with.
#pragma once
#include <memory>

#include "../../host/planned_calls.h"
#include "../driver/segments.h"
#include "../driver/streams.h"

namespace warpcell::cuda {

struct LibraryContext {
  const DriverApi& api;
  Segments& segments;
  Streams& streams;
  ProfileLog& log;
};

using LibraryRows = PlannedCalls<LibraryContext>::Rows;

std::unique_ptr<Libraries> cuda_libraries(LibraryContext context);

}  // namespace warpcell::cuda
