// What a split kernel that proves has besides: its tensors and shared memory with what is known of them, and a call in
// place of each access (warpcell_cpu/proof.h).
#pragma once
#include <set>
#include <string>

#include "proof_text.h"
#include "regions.h"

namespace warpcell::cpu {

class ProofWriter {
 public:
  // Throws Kept.
  ProofWriter(const Code& code, const CellNames& names, const KernelText& kernel, const KernelBody& body,
              const Regions& regions);

  const ProofText& accesses() const { return accesses_; }
  std::string beginning() const;
  // Behind a declaration of shared memory.
  std::string beside(const Statement& shared) const;
  // In front of a region's loop. Calls that are written from then on are in it.
  std::string region(const Region& region);
  std::string barrier() const;
  std::string call(const MemoryAccess& access, const std::string& indices) const;

 private:
  struct Touched {
    std::set<size_t> read, written, both;
  };
  Touched touched(const Region& region) const;
  void find_stamped(const std::vector<Region>& list);

  const KernelBody& body_;
  const Regions& regions_;
  ProofText accesses_;
  // Shared memory that is read and written between two barriers: in any region, and in the one that is being written.
  std::set<size_t> stamped_, here_;
};

}  // namespace warpcell::cpu
