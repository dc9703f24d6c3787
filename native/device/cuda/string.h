// Of C's <string.h> device code has memcpy and memset, which NVRTC has built in: the header is here to be included.
#pragma once
