// "helper_functions.h" as programs after CUDA's samples include it: timers, arguments, images and comparisons, with the
// headers of C++ that it brings.
#pragma once
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"
