// Fields behind the shared object, then their length and a mark.
#include "artifact.h"

#include <cstring>

#include "../../../protocol/fields.h"
#include "../../host/errors.h"

namespace warpcell::cpu {
namespace {

constexpr char kMark[] = "warpcell-cpu-2";
constexpr size_t kTailBytes = sizeof(uint64_t) + sizeof kMark;
constexpr size_t kHeadFields = 3;  // source, name, how many expressions; then those, then the options

[[noreturn]] void throw_unknown() {
  throw DeviceError("INVALID_IMAGE",
                    "This compiled cell does not say what it was compiled from. Compile the cell again.");
}

}  // namespace

std::string make_artifact(const std::string& object, const CompileRequest& request) {
  Fields fields = {request.source, request.name, std::to_string(request.expressions.size())};
  fields.insert(fields.end(), request.expressions.begin(), request.expressions.end());
  fields.insert(fields.end(), request.options.begin(), request.options.end());
  std::string recipe = encode(fields);
  uint64_t bytes = recipe.size();
  return object + recipe + std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) +
         std::string(kMark, sizeof kMark);
}

CompileRequest request_of(const std::string& artifact) {
  if (artifact.size() < kTailBytes ||
      std::memcmp(artifact.data() + artifact.size() - sizeof kMark, kMark, sizeof kMark) != 0)
    throw_unknown();
  size_t end = artifact.size() - kTailBytes;
  uint64_t bytes;
  std::memcpy(&bytes, artifact.data() + end, sizeof bytes);
  Fields fields;
  if (bytes > end || !decode(artifact.data() + end - bytes, size_t(bytes), &fields) || fields.size() < kHeadFields)
    throw_unknown();
  size_t expressions = size_t(std::strtoull(fields[2].c_str(), nullptr, 10));
  if (expressions > fields.size() - kHeadFields) throw_unknown();

  CompileRequest request;
  request.source = fields[0];
  request.name = fields[1];
  auto first = fields.begin() + kHeadFields;
  request.expressions.assign(first, first + long(expressions));
  request.options.assign(first + long(expressions), fields.end());
  return request;
}

}  // namespace warpcell::cpu
