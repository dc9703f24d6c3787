// Changes to a text, by offset: what it becomes, and where a place of the new text was in the old one.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace warpcell::cpu {

struct Edit {
  size_t at;
  size_t end;
  std::string replacement;
};

class Edits {
 public:
  void insert(size_t at, std::string text) { edits_.push_back({at, at, std::move(text)}); }
  void replace(size_t at, size_t end, std::string text) { edits_.push_back({at, end, std::move(text)}); }
  bool empty() const { return edits_.empty(); }
  void append(const Edits& others) { edits_.insert(edits_.end(), others.edits_.begin(), others.edits_.end()); }

  // An insertion comes before a replacement of what follows it; of two at one place the earlier one comes first.
  void sort();
  // Of sorted edits.
  std::string apply(const std::string& source) const;
  // Of sorted edits: what is inside a replacement was where that begins.
  size_t before(size_t after) const;

 private:
  std::vector<Edit> edits_;
};

}  // namespace warpcell::cpu
