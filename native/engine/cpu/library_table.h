// The libraries that the cpu device opens at run time.
#pragma once
#include "../host/library_search.h"

namespace warpcell::cpu {

constexpr LibraryRow kOpenBlasRow = {
    "OpenBLAS",
    "matrix products, factorisations",
    "Warpcell's own kernels multiply matrices, which are slower",
    "libopenblas.so",
    "WARPCELL_OPENBLAS",
    "Python's site-packages (VIRTUAL_ENV, this project's .venv, python3 on PATH, ~/.local), CONDA_PREFIX and the "
    "loader's folders",
    "pip install scipy-openblas32, or sudo apt-get install libopenblas0-pthread",
};

}  // namespace warpcell::cpu
