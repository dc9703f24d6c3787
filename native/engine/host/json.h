// Writes names and values as the text of a JSON object.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace warpcell {

inline std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

inline std::string json_list(const std::vector<std::string>& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); i++) out += (i == 0 ? "" : ",") + values[i];
  return out + "]";
}

class JsonObject {
 public:
  JsonObject& text(const char* name, const std::string& value) { return raw(name, json_text(value)); }
  JsonObject& number(const char* name, int64_t value) { return raw(name, std::to_string(value)); }
  JsonObject& boolean(const char* name, bool value) { return raw(name, value ? "true" : "false"); }

  // `value` is JSON already.
  JsonObject& raw(const char* name, const std::string& value) {
    body_ += (body_.empty() ? "" : ",") + json_text(name) + ":" + value;
    return *this;
  }

  std::string done() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

}  // namespace warpcell
