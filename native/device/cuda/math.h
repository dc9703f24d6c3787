// The constants of C's <math.h> for NVRTC, which has its functions built in.
#pragma once
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#define HUGE_VALF INFINITY
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)

#include <warpcell/math_constants.h>
