// The constants of <math.h> that nvcc brings in with the host's headers; as the C library words them, so that it may define them again.
#pragma once
#ifndef INFINITY
#define HUGE_VAL (__builtin_huge_val ())
#define HUGE_VALF (__builtin_huge_valf ())
#define INFINITY (__builtin_inff ())
#define NAN (__builtin_nanf (""))
#include <warpcell/math_constants.h>
#endif
