// Finds the marks behind the captures of a lambda.
#include "lambda_text.h"

#include <vector>

#include "../../host/tokens.h"

namespace warpcell::cuda {

std::string plain_lambdas(const std::string& source) {
  std::string text = source;
  if (source.find("__device__") == std::string::npos && source.find("__host__") == std::string::npos) return text;
  std::vector<Token> tokens = tokens_of(source);
  auto is = [&](size_t i, const char* word) {
    return i < tokens.size() && source.compare(tokens[i].at, tokens[i].end - tokens[i].at, word) == 0;
  };

  for (size_t i = 1; i < tokens.size(); i++) {
    if (!is(i - 1, "]") || (i >= 2 && is(i - 2, "]")))
      continue;  // "]]" ends an attribute, as in [[nodiscard]] __device__
    for (size_t k = i; is(k, "__device__") || is(k, "__host__"); k++)
      text.replace(tokens[k].at, tokens[k].end - tokens[k].at, tokens[k].end - tokens[k].at, ' ');
  }
  return text;
}

}  // namespace warpcell::cuda
