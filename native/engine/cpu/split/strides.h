// Loops in which the threads of a row stand side by side and go on by one stride, as in
// `for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)`.
#pragma once
#include <optional>
#include <utility>

#include "statements.h"
#include "uniformity.h"

namespace warpcell::cpu {

// The stride of a loop that looks like this; nothing where it does not, or where a thread may leave it early or give
// its index another value. `parent` is the statement that the loop is part of.
std::optional<Stride> stride_of(const Code& code, const KernelBody& body, const Statement& loop,
                                const Statement& parent);
// Has a `while` look like the `for` that it is: its last statement becomes the step.
void make_counted(Statement& loop, const Stride& stride);
// Whether a loop's step is `+= …` of more than a number.
bool steps_by_stride(const Code& code, const Statement& loop);
// Whether thread x of a row begins at the place of thread 0 + x, and that can be computed at the loop. `rows`: what is
// the same for all threads of a row.
bool is_side_by_side(const Code& code, const KernelBody& body, const Uniformity& uniformity, const Uniformity& rows,
                     const std::vector<bool>& repeated, Range initial);
// The terms of a sum, each with whether it is added.
std::vector<std::pair<Range, bool>> terms_of(const Code& code, Range range);
// Whether each variable is the same for all threads or can be computed again.
bool can_be_computed(const KernelBody& body, const Uniformity& uniformity, const std::vector<bool>& repeated,
                     Range range);

}  // namespace warpcell::cpu
