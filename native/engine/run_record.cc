// Checks a Run record and the words of a plan before anything in them is believed.
#include "run_record.h"

#include <sstream>

namespace warpcell {

RunRequest read_run(const Run& run, size_t bytes) {
  size_t needed = sizeof(Run) + run.place_count * sizeof(Place) + run.scalar_count * sizeof(double);
  if (needed > bytes)
    throw DeviceError("PROTOCOL", "A run record of " + std::to_string(bytes) + " bytes cannot hold the " +
                                      std::to_string(needed) + " bytes that it announces.");

  auto* places = reinterpret_cast<const Place*>(&run + 1);
  RunRequest request{};
  request.sequence = run.header.sequence;
  request.stream = run.header.stream;
  request.plan = run.plan;
  request.places = places;
  request.place_count = run.place_count;
  request.scalars = reinterpret_cast<const double*>(places + run.place_count);
  request.scalar_count = run.scalar_count;
  request.workspace = run.workspace;
  request.status = run.status;
  return request;
}

PlanRequest read_plan(uint32_t number, const std::string& text) {
  PlanRequest request{};
  request.plan = number;
  std::istringstream words(text);
  words >> request.call;
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw DeviceError("PROTOCOL", "A plan has the term \"" + word + "\" without a value.");
    request.terms[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return request;
}

}  // namespace warpcell
