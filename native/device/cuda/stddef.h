// C's <stddef.h> for NVRTC, which has its types built in.
#pragma once
#ifndef NULL
#define NULL nullptr
#endif
#ifndef offsetof
#define offsetof(type, member) size_t(__INTADDR__(&((type*)0)->member))
#endif
