// Where the kernels of a cell are, and what stands behind each.
#include "split_text.h"

#include "kernel_shape.h"
#include "kernel_writer.h"
#include "written_out.h"

namespace warpcell::cpu {
namespace {

// Behind the kernel, without changing the number of any line.
std::string behind(const Code& cell, size_t last, const std::string& begins, const std::string& text,
                   const std::string& ends) {
  const std::string& source = cell.source();
  size_t end = cell.token(last).end, start = source.rfind('\n', end - 1) + 1;
  return "\nWARPCELL_CPU_QUIET_BEGIN\n" + begins + text + ends + "\nWARPCELL_CPU_QUIET_END\n#line " +
         std::to_string(cell.line(last)) + "\n" + std::string(end - start, ' ');
}

// The indices, without what checked.h makes of them.
constexpr const char* kIndices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "__syncthreads"};

}  // namespace

SplitText split_text(const std::string& source, const std::vector<std::string>& defines, bool with_plain) {
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
      std::string split = split_kernel(code, names, kernel, waits, with_plain);
      if (split.empty()) continue;
      size_t last = kernels[i].body.end, end = cell.token(last).end;
      result.text += source.substr(from, end - from) + behind(cell, last, "", split, "");
      from = end;
      result.split[kernel.name] = {has_rows(code, kernel), waits, ""};
    } catch (const Kept& kept) {
      if (waits) result.kept[kernel.name] = kept.reason;
    }
  }
  result.text += source.substr(from);
  return result;
}

SplitText proof_text(const std::string& source, const std::vector<std::string>& defines) {
  SplitText result;
  const Code cell(source);
  const std::vector<KernelText> kernels = CellNames(cell, defines).kernels();
  const std::string written_out = with_functions_written_out(source, defines);
  const Code code(written_out);
  const CellNames names(code, defines);
  std::string hidden, seen;
  for (const char* word : kIndices) {
    hidden += std::string("#pragma push_macro(\"") + word + "\")\n#undef " + word + "\n";
    seen += std::string("\n#pragma pop_macro(\"") + word + "\")";
  }
  size_t from = 0;
  for (size_t i = 0; i < kernels.size(); i++) {
    const KernelText& kernel = names.kernels()[i];
    try {
      if (!names.reason().empty()) throw Kept{names.reason()};
      if (!names.reason_in_unnamed().empty() || names.is_function("operator")) throw Kept{"it has operators"};
      ProvingKernel proving = proving_kernel(code, names, kernel);
      size_t last = kernels[i].body.end, end = cell.token(last).end;
      result.text += source.substr(from, end - from) + behind(cell, last, hidden, proving.text, seen);
      from = end;
      result.split[kernel.name] = {has_rows(code, kernel), false, proving.uses};
    } catch (const Kept&) {  // it is checked exactly from the start
    }
  }
  result.text += source.substr(from);
  return result;
}

}  // namespace warpcell::cpu
