// <assert.h> for a cell: a failed assertion is reported with its block and thread.
#include "warpcell_cpu/assertion.h"
