// <vector_functions.h> for a cell: make_float4 and its kin are there already.
#pragma once
