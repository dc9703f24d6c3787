// Finds the kernels of a cell that wait, or go by strides, and has each written behind itself.
#include "split_text.h"

#include "known_words.h"
#include "split_writer.h"
#include "statements.h"
#include "written_out.h"

namespace warpcell::cpu {
namespace {

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

constexpr size_t kSmall = 600;  // tokens: a larger kernel would take too long to compile for each length of a row

// Whether it asks for a place in a second dimension.
bool has_rows(const Code& code, const KernelText& kernel) {
  if (kernel.body.end - kernel.body.first > kSmall) return false;
  for (size_t i = kernel.body.first; i < kernel.body.end; i++) {
    if (code.is(i, "threadIdx") && code.is(i + 2, "y")) return true;
  }
  return false;
}

}  // namespace

SplitText split_text(const std::string& source, const std::vector<std::string>& defines) {
  SplitText result;
  const Code cell(source);
  const std::vector<KernelText> kernels = CellNames(cell, defines).kernels();
  const std::string written_out = with_functions_written_out(source, defines);
  const Code code(written_out);
  const CellNames names(code, defines);
  size_t from = 0;
  for (size_t i = 0; i < kernels.size(); i++) {
    const KernelText& kernel = names.kernels()[i];
    bool waits = has_barrier(code, names, kernel);
    try {
      if (!names.reason().empty()) throw Kept{names.reason()};
      if (!names.reason_in_unnamed().empty()) throw Kept{names.reason_in_unnamed()};
      bool has_branches_of_warps = false;
      std::string split = split_kernel(code, names, kernel, waits, &has_branches_of_warps);
      if (split.empty()) continue;
      size_t last = kernels[i].body.end, end = cell.token(last).end;
      size_t start = source.rfind('\n', end - 1) + 1;
      result.text += source.substr(from, end - from) + "\nWARPCELL_CPU_QUIET_BEGIN\n" + split +
                     "\nWARPCELL_CPU_QUIET_END\n#line " + std::to_string(cell.line(last)) + "\n" +
                     std::string(end - start, ' ');
      from = end;
      result.split[kernel.name] = {has_rows(code, kernel), waits, has_branches_of_warps};
    } catch (const Kept& kept) {
      if (waits) result.kept[kernel.name] = kept.reason;
    }
  }
  result.text += source.substr(from);
  return result;
}

}  // namespace warpcell::cpu
