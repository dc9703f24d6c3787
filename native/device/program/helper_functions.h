// "helper_functions.h" as programs after CUDA's samples include it: timers, arguments, and a comparison with a
// reference.
#pragma once
#include <math.h>
#include <stdio.h>

#include "helper_string.h"
#include "helper_timer.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

// Whether the difference is small beside the reference, both as lengths of vectors.
static inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned length, float epsilon) {
  double error = 0, size = 0;
  for (unsigned i = 0; i < length; i++) {
    double apart = double(reference[i]) - data[i];
    error += apart * apart;
    size += double(reference[i]) * reference[i];
  }
  return size > 0 && sqrt(error) < epsilon * sqrt(size);
}
