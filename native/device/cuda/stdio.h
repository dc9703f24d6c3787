// Of C's <stdio.h> device code has printf, which NVRTC has built in: the header is here to be included.
#pragma once
