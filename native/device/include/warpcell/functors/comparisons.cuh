// Comparisons, logic and bits of two operands, a functor for each (functor.cuh).
#pragma once
#include "functor.cuh"

// In loops that are to become vectors, as in math.cuh.
#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)
#endif

namespace warpcell {

BINARY(Eq, x == y);
ARITHMETIC(Eq);
BINARY(Ne, x != y);
ARITHMETIC(Ne);
BINARY(Lt, x < y);
ARITHMETIC(Lt);
BINARY(Le, x <= y);
ARITHMETIC(Le);
BINARY(Gt, x > y);
ARITHMETIC(Gt);
BINARY(Ge, x >= y);
ARITHMETIC(Ge);
BINARY(LogicalAnd, (x != W(0)) && (y != W(0)));
ARITHMETIC(LogicalAnd);
BINARY(LogicalOr, (x != W(0)) || (y != W(0)));
ARITHMETIC(LogicalOr);
BINARY(LogicalXor, (x != W(0)) != (y != W(0)));
ARITHMETIC(LogicalXor);
BINARY(BitwiseAnd, W(x& y));
ARITHMETIC(BitwiseAnd);
BINARY(BitwiseOr, W(x | y));
ARITHMETIC(BitwiseOr);
BINARY(BitwiseXor, W(x ^ y));
ARITHMETIC(BitwiseXor);
// By as many bits as there are, or more, nothing is left but the sign; a negative number of bits is more.
BINARY(BitwiseLeftShift, Wrapping<W>(y) < 8 * sizeof(W) ? W(Wrapping<W>(x) << y) : W(0));
ARITHMETIC(BitwiseLeftShift);
BINARY(BitwiseRightShift, Wrapping<W>(y) < 8 * sizeof(W) ? W(x >> y) : (x < W(0) ? W(-1) : W(0)));
ARITHMETIC(BitwiseRightShift);

}  // namespace warpcell

#if defined(WARPCELL_SERIAL) && defined(__clang__)
#pragma clang attribute pop
#endif
