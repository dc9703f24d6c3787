// The macro `assert`; without #pragma once, since <assert.h> may be included again with another NDEBUG.
#undef assert
#if defined(NDEBUG)
#define assert(condition) (static_cast<void>(0))
#else
#define assert(condition) ((condition) ? static_cast<void>(0) : ::warpcell_cpu::assertion_failed(#condition, __FILE__, __LINE__))
#endif
