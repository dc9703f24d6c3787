// Reads the symbols of a checked cell, and asks the compiler's own tool for the lines of its code.
#include "image.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "../../host/demangle.h"
#include "../../host/errors.h"
#include "../../host/files.h"
#include "../../host/programs.h"
#include "../../host/text.h"

namespace warpcell::cpu {
namespace {

template <class T>
T read(const std::string& bytes, uint64_t at) {
  T value;
  if (at > bytes.size() || bytes.size() - at < sizeof value)
    throw DeviceError("INVALID_IMAGE", "The file of the checked cell is cut off. Compile the cell again.");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool is_of_headers(const std::string& name) {
  static const char* const indices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  return starts_with(name, "warpcell_cpu::") || starts_with(name, "warpcell_cpu_") || starts_with(name, "guard ") ||
         std::find(std::begin(indices), std::end(indices), name) != std::end(indices);
}

// "s" of "tile<16>(float*)::s".
std::string own_name(const std::string& name) {
  size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::vector<StaticVariable> variables_of(const std::string& artifact) {
  auto header = read<Elf64_Ehdr>(artifact, 0);
  std::vector<StaticVariable> variables;
  for (uint32_t i = 0; i < header.e_shnum; i++) {
    auto section = read<Elf64_Shdr>(artifact, header.e_shoff + uint64_t(i) * header.e_shentsize);
    if (section.sh_type != SHT_SYMTAB) continue;
    auto names = read<Elf64_Shdr>(artifact, header.e_shoff + uint64_t(section.sh_link) * header.e_shentsize);
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      auto symbol = read<Elf64_Sym>(artifact, section.sh_offset + at);
      int type = ELF64_ST_TYPE(symbol.st_info);
      if ((type != STT_TLS && type != STT_OBJECT) || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
      read<char>(artifact, names.sh_offset + symbol.st_name);
      // A compiler may take a variable apart: "_ZL8blockDim.0".
      const char* symbolic = artifact.c_str() + names.sh_offset + symbol.st_name;
      std::string name = demangle(std::string(symbolic, std::strcspn(symbolic, ".")));
      variables.push_back({own_name(name), symbol.st_value, symbol.st_size, type == STT_TLS, is_of_headers(name)});
    }
  }
  return variables;
}

uint64_t thread_bytes_of(const std::string& artifact) {
  auto header = read<Elf64_Ehdr>(artifact, 0);
  for (uint32_t i = 0; i < header.e_phnum; i++) {
    auto part = read<Elf64_Phdr>(artifact, header.e_phoff + uint64_t(i) * header.e_phentsize);
    if (part.p_type == PT_TLS) return part.p_memsz;
  }
  return 0;
}

uint64_t end_of(const std::string& artifact) {
  auto header = read<Elf64_Ehdr>(artifact, 0);
  uint64_t end = 0;
  for (uint32_t i = 0; i < header.e_phnum; i++) {
    auto part = read<Elf64_Phdr>(artifact, header.e_phoff + uint64_t(i) * header.e_phentsize);
    if (part.p_type == PT_LOAD) end = std::max(end, uint64_t(part.p_vaddr + part.p_memsz));
  }
  return end;
}

// Code of headers is called from code of the cell, whose line is meant.
bool is_header(const std::string& file) {
  return file.find("/warpcell_cpu/") != std::string::npos || file.find("/include/warpcell/") != std::string::npos ||
         starts_with(file, "/usr/") || starts_with(file, "??");
}

// "/tmp/x/Cell [1]:8 (discriminator 2)".
CodeLine line_of(std::string text) {
  text = text.substr(0, text.find(" (discriminator"));
  size_t colon = text.rfind(':');
  if (colon == std::string::npos || is_header(text)) return {};
  return {text.substr(0, colon), uint32_t(std::strtoul(text.c_str() + colon + 1, nullptr, 10))};
}

std::string line_reader() {
  for (const char* program : {"addr2line", "llvm-addr2line", "llvm-addr2line-14", "llvm-addr2line-19"}) {
    std::string path = find_on_path(program);
    if (!path.empty()) return path;
  }
  return "";
}

}  // namespace

CheckedImage::CheckedImage(void* handle, const std::string& artifact)
    : handle_(handle), artifact_(artifact), thread_bytes_(thread_bytes_of(artifact)) {
  link_map* map = nullptr;
  places_ = reinterpret_cast<void (*)(void**)>(dlsym(handle, "warpcell_cpu_places"));
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || places_ == nullptr)
    throw DeviceError("INVALID_IMAGE", "This is not a checked cell. Compile the cell again.");
  base_ = map->l_addr;
  bytes_ = end_of(artifact);
  variables_ = variables_of(artifact);
}

uint8_t* CheckedImage::of_thread() const {
  void* block = nullptr;
  dlinfo(handle_, RTLD_DI_TLS_DATA, &block);
  return static_cast<uint8_t*>(block);
}

std::vector<CodeLine> CheckedImage::lines(const std::vector<uint64_t>& offsets) const {
  std::vector<CodeLine> lines(offsets.size());
  static const std::string reader = line_reader();
  if (offsets.empty() || reader.empty()) return lines;
  PrivateFolder folder("warpcell-check-");
  write_file(folder.file("cell.so"), artifact_);
  std::vector<std::string> arguments = {reader, "-a", "-i", "-e", folder.file("cell.so")};
  for (uint64_t offset : offsets) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset));
    arguments.push_back(text);
  }
  if (run_program(arguments, {"LC_ALL=C"}, folder.path, folder.file("lines")) != 0) return lines;
  std::string said = read_file(folder.file("lines"));
  size_t index = 0;
  for (size_t at = 0; at < said.size();) {
    size_t end = std::min(said.find('\n', at), said.size());
    std::string text = said.substr(at, end - at);
    at = end + 1;
    if (starts_with(text, "0x"))
      index++;
    else if (index > 0 && index <= lines.size() && lines[index - 1].line == 0)
      lines[index - 1] = line_of(text);
  }
  return lines;
}

}  // namespace warpcell::cpu
