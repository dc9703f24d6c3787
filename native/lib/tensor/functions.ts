// The operations of the table as functions: `exp(x)`, `maximum(x, 0)`, `sub(1, x)`. A test compares this list with the table.
import { functionsOf } from "./methods.ts";
import { Tensor } from "./tensor.ts";

export const {
  neg, abs, sign, square, reciprocal, exp, exp2, expm1, log, log2, log10, log1p, sqrt, rsqrt, cbrt, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh,
  asinh, acosh, atanh, erf, erfc, erfinv, lgamma, floor, ceil, round, trunc, frac, isnan, isinf, isfinite, logicalNot, bitwiseNot, relu, relu6, sigmoid,
  logSigmoid, silu, softsign, hardsigmoid, hardswish, softplus, mish, tanhshrink, selu, add, sub, mul, div, floorDivide, remainder, fmod, pow, maximum, minimum, atan2,
  hypot, copysign, logaddexp, eq, ne, lt, le, gt, ge, logicalAnd, logicalOr, logicalXor, bitwiseAnd, bitwiseOr, bitwiseXor,
} = functionsOf((value) => value instanceof Tensor);
