// <curand.h> for the host code of a program: own generators, which run on either device, and on the host.
#pragma once
#include "warpcell_program/filled.h"
