// Reads a kernel word by word, without its statements: what waits, which dimensions, which loops there are.
#include "kernel_shape.h"

#include "known_words.h"

namespace warpcell::cpu {
namespace {

constexpr size_t kSmall = 600;  // tokens: a larger kernel would take too long to compile for each length of a row
constexpr size_t kPlain = 200;  // tokens: a larger kernel has enough to compute

}  // namespace

bool has_barrier(const Code& code, const CellNames& names, const KernelText& kernel) {
  for (size_t i = kernel.body.first; i < kernel.body.end; i++) {
    std::string word = code.at(i);
    const Macro* macro = names.macro(word);
    if (word == "__syncthreads" || (macro != nullptr && macro->is_barrier) || !reason_to_keep(word).empty())
      return true;
    bool is_function = code.is_name(i) && (names.is_function(word) || macro != nullptr);
    if (is_function && names.waits(word)) return true;
  }
  return false;
}

bool has_rows(const Code& code, const KernelText& kernel) {
  if (kernel.body.end - kernel.body.first > kSmall) return false;
  for (size_t i = kernel.body.first; i < kernel.body.end; i++) {
    if (code.is(i, "threadIdx") && code.is(i + 2, "y")) return true;
  }
  return false;
}

bool is_plain(const Code& code, const KernelText& kernel) {
  if (kernel.body.end - kernel.body.first > kPlain) return false;
  for (size_t i = kernel.body.first; i < kernel.body.end; i++) {
    for (const char* word : {"for", "while", "do", "goto"})
      if (code.is(i, word)) return false;
  }
  return true;
}

}  // namespace warpcell::cpu
