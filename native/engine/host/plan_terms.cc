// Reads what a plan says in words.
#include "plan_terms.h"

#include <cerrno>
#include <cstdlib>

namespace warpcell {

const std::string& text_term(const PlanRequest& request, const std::string& term) {
  auto found = request.terms.find(term);
  if (found != request.terms.end()) return found->second;
  throw DeviceError("PROTOCOL", "The plan of " + request.call + " lacks \"" + term + "\".");
}

int64_t size_term(const PlanRequest& request, const std::string& term) {
  const std::string& word = text_term(request, term);
  errno = 0;
  char* end = nullptr;
  int64_t value = std::strtoll(word.c_str(), &end, 10);
  if (!word.empty() && *end == '\0' && errno == 0 && value >= 0) return value;
  throw DeviceError("PROTOCOL", "The plan of " + request.call + " has " + term + "=" + word + ", which is no size.");
}

int64_t size_term_or(const PlanRequest& request, const std::string& term, int64_t otherwise) {
  return request.terms.count(term) != 0 ? size_term(request, term) : otherwise;
}

bool flag_term(const PlanRequest& request, const std::string& term) { return size_term_or(request, term, 0) != 0; }

}  // namespace warpcell
