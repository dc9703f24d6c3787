// Where Python's packages lie on this machine, because wheels are how people get libraries.
#pragma once
#include <filesystem>
#include <vector>

namespace warpcell {

// The folder of this program.
std::filesystem::path program_folder();

// The folder's entries whose name starts with `prefix`, in descending order: newer versions first.
std::vector<std::filesystem::path> entries_named(const std::filesystem::path& folder, const std::string& prefix);

// Folders site-packages and dist-packages that exist, best first: of VIRTUAL_ENV, of the .venv that the project sets
// up, of the python3 on PATH, of ~/.local, of /usr/local.
std::vector<std::filesystem::path> site_packages();

}  // namespace warpcell
