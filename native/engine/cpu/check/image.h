// A checked cell as it was loaded: where its code and its variables lie, and which lines its code comes from.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpcell::cpu {

// A variable of a cell: shared memory where it is one of a thread, else global.
struct StaticVariable {
  std::string name;  // as the cell has it, without the function that it is in
  uint64_t value;    // from the start of the thread's block, or of the image
  uint64_t bytes;
  bool of_thread;
  bool is_ours;  // of the headers: threadIdx and its kin
};

struct CodeLine {
  std::string file;
  uint32_t line = 0;  // 0: not known
};

class CheckedImage {
 public:
  // `handle`: of the dynamic linker. Throws DeviceError("INVALID_IMAGE").
  CheckedImage(void* handle, const std::string& artifact);

  uintptr_t base() const { return base_; }
  bool contains(uintptr_t address) const { return address - base_ < bytes_; }
  // The variables of the calling thread begin here.
  uint8_t* of_thread() const;
  uint64_t thread_bytes() const { return thread_bytes_; }
  const std::vector<StaticVariable>& variables() const { return variables_; }
  // warpcell_cpu_places of checked.h.
  void places(void** places) const { places_(places); }
  // The lines of the cell that code at these offsets of the image comes from, in their order.
  std::vector<CodeLine> lines(const std::vector<uint64_t>& offsets) const;

 private:
  void* handle_;
  std::string artifact_;
  uintptr_t base_ = 0;
  uint64_t bytes_ = 0;
  uint64_t thread_bytes_ = 0;
  std::vector<StaticVariable> variables_;
  void (*places_)(void**) = nullptr;
};

}  // namespace warpcell::cpu
