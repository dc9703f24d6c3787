// Whether a launch can be proven to be right before it is checked exactly: its kernel as loops on all cores, which look
// at each access and doubt wherever it takes more to know.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "../../../device/cpu/warpcell_cpu/block.h"

namespace warpcell::cpu {

class Checker;
class Pool;
struct Job;

// As proof.h of the kernels has both.
struct ProofArgument {
  unsigned long long bytes;
  uint32_t* owners;
  uint32_t element;
  uint32_t is_unreadable;
};
struct ProofTable {
  uint32_t doubt;
  uint32_t shared;
  const ProofArgument* arguments;
};
constexpr uint32_t kOwnerWrote = 1u << 31;

// What a cell's kernel has of it; nothing where it has no proof.
struct KernelProof {
  void (*run)(warpcell_cpu::Run*) = nullptr;
  const char* uses = nullptr;  // of each parameter: 'r', 'w' or '-'
  ProofTable** table = nullptr;
  double cost = 0;  // nanoseconds of one block, as far as known
};

// A tensor that the launch may write.
struct ProvenTensor {
  uint8_t* base;
  uint64_t bytes;
  uint32_t element;
  const uint32_t* owners;
};

class Proof {
 public:
  // Runs the launch, which the checker has begun with. Without a proof the memory is as it was before.
  bool run(Pool& pool, Job job, KernelProof& kernel, const Checker& checker);
  // What it wrote, where it has been proven.
  const std::vector<ProvenTensor>& written() const { return written_; }

  // Called by the code of a cell that has found a mistake by itself; `ends`: the thread must not go on.
  static void doubt(bool ends);

 private:
  // Memory that is kept from launch to launch, with anything in it.
  template <class T>
  class Room {
   public:
    T* take(uint64_t count) {
      if (count > count_) memory_.reset(new T[count_ = count]);
      return memory_.get();
    }

   private:
    std::unique_ptr<T[]> memory_;
    uint64_t count_ = 0;
  };

  bool lay_out(const Job& job, const KernelProof& kernel, const Checker& checker);

  std::vector<ProofArgument> arguments_;
  std::vector<ProvenTensor> written_;
  Room<uint32_t> owners_;
  Room<uint8_t> saved_;
};

}  // namespace warpcell::cpu
