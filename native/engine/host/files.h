// Files of this process: reads and writes them whole, and gives folders that are gone with their owner.
#pragma once
#include <string>

namespace warpcell {

// TMPDIR, or /tmp.
std::string temporary_folder();

// Makes a folder that nobody else can read, "<prefix><process>-XXXXXX" in temporary_folder(), and removes those of
// processes that are gone, which were killed before they could. Throws DeviceError("FILE").
std::string make_folder(const std::string& prefix);

// A folder of its own for each user of it, gone with the object.
class PrivateFolder {
 public:
  explicit PrivateFolder(const std::string& prefix) : path(make_folder(prefix)) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  std::string file(const char* name) const { return path + "/" + name; }
  const std::string path;
};

// Throw DeviceError("FILE").
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

}  // namespace warpcell
