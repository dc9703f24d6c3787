// Reads what a plan says in words.
#include "plan_terms.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace warpcell {

const std::string& text_term(const PlanRequest& request, const std::string& term) {
  auto found = request.terms.find(term);
  if (found != request.terms.end()) return found->second;
  throw DeviceError("PROTOCOL", "The plan of " + request.call + " lacks \"" + term + "\".");
}

namespace {

int64_t size_of(const PlanRequest& request, const std::string& term, const std::string& word) {
  errno = 0;
  char* end = nullptr;
  int64_t value = std::strtoll(word.c_str(), &end, 10);
  if (!word.empty() && *end == '\0' && errno == 0 && value >= 0) return value;
  throw DeviceError("PROTOCOL", "The plan of " + request.call + " has " + term + "=" + word + ", which is no size.");
}

}  // namespace

int64_t size_term(const PlanRequest& request, const std::string& term) {
  return size_of(request, term, text_term(request, term));
}

std::vector<int64_t> sizes_term(const PlanRequest& request, const std::string& term) {
  const std::string& words = text_term(request, term);
  std::vector<int64_t> sizes;
  for (size_t from = 0; from <= words.size();) {
    size_t end = std::min(words.find('x', from), words.size());
    sizes.push_back(size_of(request, term, words.substr(from, end - from)));
    from = end + 1;
  }
  return sizes;
}

int64_t size_term_or(const PlanRequest& request, const std::string& term, int64_t otherwise) {
  return request.terms.count(term) != 0 ? size_term(request, term) : otherwise;
}

bool flag_term(const PlanRequest& request, const std::string& term) { return size_term_or(request, term, 0) != 0; }

}  // namespace warpcell
