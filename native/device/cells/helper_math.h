// "helper_math.h" for the kernels of a program: what its host code has of that name.
#pragma once
#include "../program/helper_math.h"
