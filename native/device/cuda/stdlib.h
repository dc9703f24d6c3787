// Of C's <stdlib.h> device code has malloc, free and abs, which NVRTC has built in: the header is here to be included.
#pragma once
