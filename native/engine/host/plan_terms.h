// The terms of a plan, by name: texts and sizes.
#pragma once
#include <vector>

#include "../device.h"

namespace warpcell {

// Throws DeviceError PROTOCOL where it is missing.
const std::string& text_term(const PlanRequest& request, const std::string& term);

// A whole number, 0 or more. Throws DeviceError PROTOCOL where it is missing or something else.
int64_t size_term(const PlanRequest& request, const std::string& term);
int64_t size_term_or(const PlanRequest& request, const std::string& term, int64_t otherwise);
// Whether it is there, and not 0.
bool flag_term(const PlanRequest& request, const std::string& term);
// Several, as "3x5x5". Throws as size_term.
std::vector<int64_t> sizes_term(const PlanRequest& request, const std::string& term);

}  // namespace warpcell
