// Of C's <assert.h> device code has assert, which NVRTC has built in: the header is here to be included.
#pragma once
