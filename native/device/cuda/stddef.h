// C's <stddef.h> for NVRTC, which has its types built in.
#pragma once
#ifndef NULL
#define NULL nullptr
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
