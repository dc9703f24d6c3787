// Reads the table of symbols of a 64-bit ELF object. (System V ABI, chapter 4, "Symbol Table".)
#include "object_symbols.h"

#include <cstring>

#include <elf.h>

#include "errors.h"

namespace warpcell {
namespace {

template <class T>
T read(const std::string& bytes, uint64_t at) {
  T value;
  if (at > bytes.size() || bytes.size() - at < sizeof value)
    throw DeviceError("INVALID_IMAGE", "The file of the compiled program is cut off. Run the program again.");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::vector<ObjectSymbol> symbols_of(const std::string& object) {
  auto header = read<Elf64_Ehdr>(object, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw DeviceError("INVALID_IMAGE", "The compiled program is no 64-bit ELF object. Run the program again.");
  std::vector<ObjectSymbol> symbols;
  for (uint32_t i = 0; i < header.e_shnum; i++) {
    auto section = read<Elf64_Shdr>(object, header.e_shoff + uint64_t(i) * header.e_shentsize);
    if (section.sh_type != SHT_SYMTAB) continue;
    auto names = read<Elf64_Shdr>(object, header.e_shoff + uint64_t(section.sh_link) * header.e_shentsize);
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      auto symbol = read<Elf64_Sym>(object, section.sh_offset + at);
      int type = ELF64_ST_TYPE(symbol.st_info);
      if ((type != STT_FUNC && type != STT_OBJECT) || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
      read<char>(object, names.sh_offset + symbol.st_name);
      symbols.push_back(
          {object.c_str() + names.sh_offset + symbol.st_name, symbol.st_value, symbol.st_size, type == STT_FUNC});
    }
  }
  return symbols;
}

}  // namespace warpcell
