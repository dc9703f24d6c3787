// <thrust/…> for the host code of a program: own algorithms, which launch one kernel on either device.
#pragma once
#include "thrust/ordering.h"
