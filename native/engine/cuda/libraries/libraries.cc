// The table of library calls of a cuda device.
#include "libraries.h"

namespace warpcell::cuda {

std::unique_ptr<Libraries> cuda_libraries(LibraryContext context) {
  using Calls = PlannedCalls<LibraryContext>;
  return std::make_unique<Calls>(context, ProfileKind::call, std::initializer_list<Calls::Row>{{"matmul", plan_matmul}});
}

}  // namespace warpcell::cuda
