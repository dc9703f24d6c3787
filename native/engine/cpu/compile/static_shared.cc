// `__shared__` variables are variables of a thread, and their symbols begin with the function they are in; so does the
// symbol of a kernel's entry contain it. (System V ABI, chapter 4, "Symbol Table"; Itanium C++ ABI, "Scope Encoding".)
#include "static_shared.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <unordered_set>

#include <cxxabi.h>
#include <elf.h>

#include "../../host/errors.h"
#include "../../host/text.h"

namespace warpcell::cpu {
namespace {

constexpr const char* kEntryPrefixes[] = {"warpcell_cpu::Launch<&", "warpcell_cpu::Checked<&"};
constexpr const char* kEntrySuffix = ">::entry(";

struct Symbol {
  std::string name;  // demangled
  uint64_t value;
  uint64_t size;
  bool of_thread;
};

template <class T>
T read(const std::string& bytes, uint64_t at) {
  T value;
  if (at > bytes.size() || bytes.size() - at < sizeof value)
    throw DeviceError("INVALID_IMAGE", "The file of the compiled cell is cut off. Compile the cell again.");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Without the number behind a point that clang gives the parts of a variable that it takes apart ("_ZL8blockDim.0").
std::string demangled(const char* name) {
  int status = 0;
  std::string whole(name, std::strcspn(name, "."));
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

// Of variables of threads, and of functions that begin at an entry: a name takes longer to demangle than a kernel to
// load.
std::vector<Symbol> symbols_of(const std::string& artifact, const std::unordered_set<uint64_t>& entries) {
  auto header = read<Elf64_Ehdr>(artifact, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    throw DeviceError("INVALID_IMAGE",
                      "This is not a cell compiled for the cpu device (a 64-bit ELF object). Compile the cell again.");
  }
  std::vector<Symbol> symbols;
  for (uint32_t i = 0; i < header.e_shnum; i++) {
    auto section = read<Elf64_Shdr>(artifact, header.e_shoff + uint64_t(i) * header.e_shentsize);
    if (section.sh_type != SHT_SYMTAB) continue;
    auto names = read<Elf64_Shdr>(artifact, header.e_shoff + uint64_t(section.sh_link) * header.e_shentsize);
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      auto symbol = read<Elf64_Sym>(artifact, section.sh_offset + at);
      int type = ELF64_ST_TYPE(symbol.st_info);
      bool of_thread = type == STT_TLS, is_entry = type == STT_FUNC && entries.count(symbol.st_value) != 0;
      if ((!of_thread && !is_entry) || symbol.st_shndx == SHN_UNDEF) continue;
      read<char>(artifact, names.sh_offset +
                               symbol.st_name);  // the name begins inside the file; the file ends with a table of zeros
      symbols.push_back(
          {demangled(artifact.c_str() + names.sh_offset + symbol.st_name), symbol.st_value, symbol.st_size, of_thread});
    }
  }
  return symbols;
}

// The kernel in "warpcell_cpu::Launch<&ns::fill>::entry(…)" or "…Launch<&(void axpy<float>(int, float*))>::entry(…)";
// else nothing.
std::string kernel_of(const std::string& entry) {
  size_t end = entry.rfind(kEntrySuffix), start = 0;
  for (const char* prefix : kEntryPrefixes)
    if (starts_with(entry, prefix)) start = std::strlen(prefix);
  if (start == 0 || end == std::string::npos) return "";
  std::string kernel = entry.substr(start, end - start);
  if (starts_with(kernel, "(void ")) return kernel.substr(6, kernel.size() - 7);
  return kernel[0] == '(' && kernel.back() == ')' ? kernel.substr(1, kernel.size() - 2)
                                                  : kernel;  // not "(anonymous namespace)::fill"
}

// Whether a variable is in that function: "ns::fill(float*)::sums" is in "ns::fill".
bool is_in(const std::string& variable, const std::string& kernel) {
  return !kernel.empty() && (starts_with(variable, kernel + "::") || starts_with(variable, kernel + "("));
}

bool is_ours(const std::string& variable) {
  // The shared memory of a split kernel is that of its kernel once more.
  return starts_with(variable, "warpcell_cpu::") || variable.find("warpcell_cpu_split_") != std::string::npos ||
         variable == "threadIdx" || variable == "blockIdx" || variable == "blockDim" || variable == "gridDim";
}

// "axpy<float>" of "axpy<float>(int, float*)".
std::string without_parameters(const std::string& kernel) {
  if (kernel.empty() || kernel.back() != ')') return kernel;
  int depth = 0;
  for (size_t at = kernel.size(); at-- > 0;) {
    depth += (kernel[at] == ')') - (kernel[at] == '(');
    if (depth == 0) return kernel.substr(0, at);
  }
  return kernel;
}

}  // namespace

std::vector<StaticShared> static_shared(const std::string& artifact, const std::vector<uint64_t>& entries) {
  std::vector<Symbol> symbols = symbols_of(artifact, {entries.begin(), entries.end()});
  std::vector<std::string> kernels(entries.size());
  for (const Symbol& symbol : symbols) {
    for (size_t i = 0; i < entries.size() && !symbol.of_thread; i++) {
      std::string kernel = entries[i] == symbol.value ? kernel_of(symbol.name) : "";
      if (!kernel.empty()) kernels[i] = kernel;
    }
  }
  std::vector<StaticShared> bytes(entries.size());
  for (size_t i = 0; i < entries.size(); i++) bytes[i].kernel = without_parameters(kernels[i]);
  for (const Symbol& symbol : symbols) {
    if (!symbol.of_thread || is_ours(symbol.name)) continue;
    bool owned = false;
    for (const std::string& kernel : kernels) owned |= is_in(symbol.name, kernel);
    for (size_t i = 0; i < entries.size(); i++) {
      if (owned && is_in(symbol.name, kernels[i])) bytes[i].own += uint32_t(symbol.size);
      if (!owned) bytes[i].of_functions += uint32_t(symbol.size);
    }
  }
  return bytes;
}

}  // namespace warpcell::cpu
