// What a proof knows of the tensors of a launch, and how it ends.
#include "proof.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "../run/pool.h"
#include "checker.h"

namespace warpcell::cpu {
namespace {

// Owners are numbers of threads.
constexpr uint64_t kMostThreads = (uint64_t(1) << 31) - 4096;

// Of the one proof that runs, read by all cores.
ProofTable table;
void (*proving)(warpcell_cpu::Run*) = nullptr;
// Where a core leaves its blocks; null while it runs none.
thread_local std::jmp_buf* way_out = nullptr;

// Whether another argument is a part of the same memory.
bool is_shared(const CheckedArgument& argument, const std::vector<CheckedArgument>& all) {
  auto overlaps = [&](const CheckedArgument& other) {
    return other.bytes > 0 && other.base < argument.base + argument.bytes && argument.base < other.base + other.bytes;
  };
  return std::count_if(all.begin(), all.end(), overlaps) != 1;
}

void run_blocks(warpcell_cpu::Run* run) {
  std::jmp_buf out;
  way_out = &out;
  if (setjmp(out) == 0) proving(run);
  way_out = nullptr;
}

}  // namespace

void Proof::doubt(bool ends) {
  if (way_out == nullptr) return;
  __atomic_store_n(&table.doubt, 1, __ATOMIC_RELAXED);
  if (ends) std::longjmp(*way_out, 1);
}

// Each parameter that the kernel uses as a tensor is one, and what it writes has no other name.
bool Proof::lay_out(const Job& job, const KernelProof& kernel, const Checker& checker) {
  arguments_.assign(job.kernel->parameters, {0, nullptr, 1, 0});
  written_.clear();
  uint64_t elements = 0;
  for (uint32_t i = 0; i < job.kernel->parameters; i++) {
    if (kernel.uses[i] == '-') continue;
    uint8_t* pointer;
    std::memcpy(&pointer, job.arguments + job.kernel->offsets[i], sizeof pointer);
    const CheckedArgument* argument = nullptr;
    for (const CheckedArgument& each : checker.task().arguments)
      if (each.bytes > 0 && each.base == pointer) argument = &each;
    if (argument == nullptr) continue;  // what is there must not be touched
    const ShadowRegion* region = checker.tensor(pointer);
    const uint8_t* unwritten = region->unwritten;
    bool is_unreadable = unwritten != nullptr && std::memchr(unwritten, 1, region->bytes) != nullptr;
    arguments_[i] = {argument->bytes, nullptr, argument->element, is_unreadable};
    if (kernel.uses[i] != 'w') continue;
    if (region->bytes != argument->bytes || is_shared(*argument, checker.task().arguments)) return false;
    written_.push_back({pointer, argument->bytes, argument->element, nullptr});
    elements += argument->bytes / argument->element;
  }
  uint32_t* owners = owners_.take(elements);
  std::memset(owners, 0, elements * sizeof *owners);
  for (ProvenTensor& tensor : written_) {
    uint32_t names = 0;
    for (uint32_t i = 0; i < job.kernel->parameters; i++) {
      uint8_t* pointer = nullptr;
      if (kernel.uses[i] != '-') std::memcpy(&pointer, job.arguments + job.kernel->offsets[i], sizeof pointer);
      if (pointer != tensor.base) continue;
      arguments_[i].owners = owners;
      names++;
    }
    if (names != 1) return false;
    tensor.owners = owners;
    owners += tensor.bytes / tensor.element;
  }
  return true;
}

bool Proof::run(Pool& pool, Job job, KernelProof& kernel, const Checker& checker) {
  const Geometry& geometry = job.geometry;
  written_.clear();
  uint64_t blocks = uint64_t(geometry.grid[0]) * geometry.grid[1] * geometry.grid[2];
  uint64_t threads = blocks * geometry.block[0] * geometry.block[1] * geometry.block[2];
  job.observer = nullptr;
  job.split = run_blocks;
  if (kernel.run == nullptr || threads > kMostThreads || !pool.splits(job) || !lay_out(job, kernel, checker))
    return false;
  uint64_t bytes = 0;
  for (const ProvenTensor& tensor : written_) bytes += tensor.bytes;
  uint8_t* const saved = saved_.take(bytes);
  uint8_t* at = saved;
  for (const ProvenTensor& tensor : written_) {
    std::memcpy(at, tensor.base, tensor.bytes);
    at += tensor.bytes;
  }
  table = {0, job.shared, arguments_.data()};
  *kernel.table = &table;
  proving = kernel.run;
  pool.run(job, kernel.cost);
  if (table.doubt == 0) return true;
  at = saved;
  for (const ProvenTensor& tensor : written_) {
    std::memcpy(tensor.base, at, tensor.bytes);
    at += tensor.bytes;
  }
  written_.clear();
  return false;
}

}  // namespace warpcell::cpu
