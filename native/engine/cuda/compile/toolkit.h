// Finds what NVIDIA ships beside the driver: turns a file's name into the places where it lies on this machine.
#pragma once
#include <string>
#include <vector>

namespace warpcell::cuda {

// Folders that hold a toolkit or a part of one, best first: Python wheels (VIRTUAL_ENV, the project's .venv, the
// python3 on PATH, ~/.local), CONDA_PREFIX, CUDA_PATH and CUDA_HOME, /usr/local/cuda*. Only those that exist.
std::vector<std::string> toolkit_roots();

// Files called `name` or `name.N` in the roots' library folders ("libnvrtc.so"), best first.
std::vector<std::string> find_libraries(const std::string& name);

// The same, and after them what the loader may know by that name.
std::vector<std::string> toolkit_files(const std::string& name);

// Folders with CUDA's own headers (cuda_fp16.h …), the one of the library at `beside` first, then CCCL's where they lie
// apart. Several, because a wheel may bring only a part (PyTorch's have mma.h but not the crt/mma.h that it includes).
// Empty when there are none.
std::vector<std::string> find_headers(const std::string& beside);

// The path of a program of the toolkit ("nvdisasm"), also on PATH and in Triton's wheel; empty when there is none.
std::string find_program(const std::string& name);

}  // namespace warpcell::cuda
