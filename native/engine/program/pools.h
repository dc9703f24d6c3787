// The pools that memory of a program comes from.
#pragma once

namespace warpcell {

// Memory of the device is about to be freed, of a pool or not.
void pool_freed(void* memory);

}  // namespace warpcell
