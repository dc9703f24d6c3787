// Words for the compiler; what they mean is in warpcell_cpu/proof.h.
#include "proof_writer.h"

#include <algorithm>
#include <iterator>

namespace warpcell::cpu {

ProofWriter::ProofWriter(const Code& code, const CellNames& names, const KernelText& kernel, const KernelBody& body,
                         const Regions& regions)
    : body_(body), regions_(regions), accesses_(code, names, kernel, body) {
  find_stamped(regions.nodes());
}

ProofWriter::Touched ProofWriter::touched(const Region& region) const {
  Touched all;
  if (region.kind != Region::threads) return all;
  for (const RegionItem& item : region.items) accesses_.touched(item.range(body_), &all.read, &all.written);
  std::set_intersection(all.read.begin(), all.read.end(), all.written.begin(), all.written.end(),
                        std::inserter(all.both, all.both.end()));
  return all;
}

void ProofWriter::find_stamped(const std::vector<Region>& list) {
  for (const Region& node : list) {
    find_stamped(node.first);
    find_stamped(node.second);
    for (size_t variable : touched(node).both) stamped_.insert(variable);
  }
}

std::string ProofWriter::beginning() const {
  std::string text = "WARPCELL_CPU_PROOF_BEGIN ";
  size_t number = 0;
  for (size_t i = 0; i < body_.variables().size(); i++) {
    const Variable& variable = body_.variables()[i];
    if (!variable.is_parameter) continue;
    if (accesses_.is_used(i))
      text += "WARPCELL_CPU_PROOF_TENSOR(" + variable.name + ", " + std::to_string(number) + ", " +
              (accesses_.is_written(i) ? "true" : "false") + ") ";
    number++;
  }
  return text;
}

std::string ProofWriter::beside(const Statement& shared) const {
  std::string text;
  for (size_t i : shared.variables)
    text += "WARPCELL_CPU_PROOF_SHARED(" + body_.variables()[i].name + ", " +
            (stamped_.count(i) != 0 ? "true" : "false") + ") ";
  return text;
}

std::string ProofWriter::region(const Region& region) {
  Touched all = touched(region);
  here_ = all.both;
  std::string text;
  for (size_t i : all.written) text += "WARPCELL_CPU_PROOF_WRITES(" + body_.variables()[i].name + ") ";
  for (size_t i : all.read)
    if (here_.count(i) == 0) text += "WARPCELL_CPU_PROOF_READS(" + body_.variables()[i].name + ") ";
  return text + "WARPCELL_CPU_PROOF_REGION ";
}

std::string ProofWriter::barrier() const {
  return std::string(regions_.has_ways_out() ? "WARPCELL_CPU_PROOF_ALL_ALIVE " : "") + "WARPCELL_CPU_PROOF_BARRIER ";
}

std::string ProofWriter::call(const MemoryAccess& access, const std::string& indices) const {
  if (access.kind == MemoryAccess::element)
    return "::warpcell_cpu::proof::element(" + access.name + ", warpcell_cpu_bad" + indices + ")";
  static constexpr const char* names[] = {"read<", "write<false", "write<true", "atomic"};
  std::string call = names[access.kind];
  if (access.kind == MemoryAccess::read) call += here_.count(access.variable) != 0 ? "true" : "false";
  if (access.kind != MemoryAccess::atomic) call += ">";
  return "::warpcell_cpu::proof::" + call + "(warpcell_cpu_proof_" + access.name + ", " + access.name +
         ", warpcell_cpu_epoch, warpcell_cpu_me, warpcell_cpu_bad" + indices + ")";
}

}  // namespace warpcell::cpu
