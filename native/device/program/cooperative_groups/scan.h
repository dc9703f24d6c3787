// <cooperative_groups/scan.h> for the host code of a program, where groups are names alone.
#pragma once
#include "../cooperative_groups.h"
