// Removes what killed processes left: once for each prefix, before the first folder is made.
#include "files.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

#include "errors.h"
#include "text.h"

namespace warpcell {
namespace {

void sweep(const std::string& prefix) {
  static std::mutex sweeping;
  static std::set<std::string> swept;
  std::lock_guard<std::mutex> lock(sweeping);
  if (!swept.insert(prefix).second) return;

  std::error_code error;
  for (std::filesystem::directory_iterator entry(temporary_folder(), error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!starts_with(name, prefix)) continue;
    struct stat information;
    if (lstat(entry->path().c_str(), &information) != 0 || !S_ISDIR(information.st_mode) ||
        information.st_uid != geteuid())
      continue;
    long process = std::strtol(name.c_str() + prefix.size(), nullptr, 10);
    std::error_code removal;
    if (process > 0 && kill(pid_t(process), 0) != 0 && errno == ESRCH)
      std::filesystem::remove_all(entry->path(), removal);
  }
}

}  // namespace

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != 0 ? folder : "/tmp";
}

std::string make_folder(const std::string& prefix) {
  sweep(prefix);
  std::string pattern = temporary_folder() + "/" + prefix + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw DeviceError("FILE", "A folder for temporary files could not be made in " + temporary_folder() + ": " +
                                  std::strerror(errno) + ". Set TMPDIR to a folder that can be written.");
  }
  return pattern;
}

PrivateFolder::~PrivateFolder() {
  std::error_code error;  // what stays behind is swept by the next process
  std::filesystem::remove_all(path, error);
}

std::string read_file(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) throw DeviceError("FILE", path + " cannot be read: " + std::strerror(errno) + ".");
  std::string bytes;
  char buffer[1 << 16];
  for (size_t count; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, count);
  std::fclose(file);
  return bytes;
}

void write_file(const std::string& path, const std::string& bytes) {
  FILE* file = std::fopen(path.c_str(), "wbe");
  bool done = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file != nullptr) done = std::fclose(file) == 0 && done;
  if (!done) throw DeviceError("FILE", path + " cannot be written: " + std::strerror(errno) + ".");
}

}  // namespace warpcell
