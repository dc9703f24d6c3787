// Of C's <time.h> device code has clock, which NVRTC has built in: the header is here to be included.
#pragma once
