// <vector_types.h> for a cell: the vector types are there already.
#pragma once
