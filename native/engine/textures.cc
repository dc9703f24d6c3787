// Reads what a message says of a texture.
#include "textures.h"

#include <algorithm>
#include <sstream>

#include "host/plan_terms.h"
#include "run_record.h"

namespace warpcell {
namespace {

constexpr const char* kTexels[] = {"uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32"};
constexpr const char* kAddresses[] = {"wrap", "clamp", "mirror", "border"};

[[noreturn]] void refuse(const std::string& term, const std::string& word) {
  throw DeviceError("PROTOCOL", "A texture has " + term + "=" + word + ", which it cannot have.");
}

template <size_t count>
int index_of(const char* const (&names)[count], const std::string& term, const std::string& word) {
  auto found = std::find(std::begin(names), std::end(names), word);
  if (found == std::end(names)) refuse(term, word);
  return int(found - std::begin(names));
}

}  // namespace

uint32_t TextureTerms::texel_bytes() const {
  constexpr uint32_t bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};
  return bytes[size_t(texel)] * channels;
}

uint64_t TextureTerms::bytes() const { return size[0] * size[1] * size[2] * std::max(layers, 1u) * texel_bytes(); }

TextureTerms read_texture(const std::string& text) {
  PlanRequest words = read_plan(0, text);
  TextureTerms terms;
  terms.is_surface = words.call == "surface";
  terms.texel = Texel(index_of(kTexels, "dtype", text_term(words, "dtype")));
  terms.channels = uint32_t(size_term(words, "channels"));
  if (terms.channels != 1 && terms.channels != 2 && terms.channels != 4)
    refuse("channels", text_term(words, "channels"));
  std::vector<int64_t> sizes = sizes_term(words, "size");
  if (sizes.empty() || sizes.size() > 3 || std::count(sizes.begin(), sizes.end(), 0) != 0)
    refuse("size", text_term(words, "size"));
  terms.axes = uint32_t(sizes.size());
  std::copy(sizes.begin(), sizes.end(), terms.size);
  terms.layers = uint32_t(size_term(words, "layers"));
  if (terms.is_surface) return terms;

  terms.filters = text_term(words, "filter") == "linear";
  terms.is_linear_memory = text_term(words, "memory") == "linear";
  terms.is_normalized = flag_term(words, "normalized");
  terms.reads_normalized = text_term(words, "read") == "normalized";
  std::istringstream addresses(text_term(words, "address"));
  std::string word;
  for (Address& address : terms.address) {
    if (!std::getline(addresses, word, ',')) refuse("address", addresses.str());
    address = Address(index_of(kAddresses, "address", word));
  }
  return terms;
}

}  // namespace warpcell
