// A message's payload: turns a list of byte strings into one buffer and back.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpcell {

using Fields = std::vector<std::string>;

// uint32 count, then for each field uint64 length and its bytes; little-endian, unaligned.
inline std::string encode(const Fields& fields) {
  std::string out;
  size_t size = 4;
  for (const auto& field : fields) size += 8 + field.size();
  out.reserve(size);
  uint32_t count = uint32_t(fields.size());
  out.append(reinterpret_cast<const char*>(&count), 4);
  for (const auto& field : fields) {
    uint64_t length = field.size();
    out.append(reinterpret_cast<const char*>(&length), 8);
    out.append(field);
  }
  return out;
}

// False when the buffer is not a well-formed list.
inline bool decode(const char* data, size_t size, Fields* out) {
  out->clear();
  if (size < 4) return false;
  uint32_t count;
  std::memcpy(&count, data, 4);
  size_t at = 4;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t length;
    if (size - at < 8) return false;
    std::memcpy(&length, data + at, 8);
    at += 8;
    if (size - at < length) return false;
    out->emplace_back(data + at, size_t(length));
    at += size_t(length);
  }
  return at == size;
}

}  // namespace warpcell
