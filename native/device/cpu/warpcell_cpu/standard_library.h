// cuda::std: all that the host's C++ library has, under that name as well.
#pragma once

namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda
