// Factors of matrices with orthogonal parts: eigenvalues of symmetric ones, singular values, Q · R.
import type { Execution } from "../../device/execution.ts";
import { GradientError, TensorError } from "../../errors.ts";
import { DeviceArray, halfOf, viewOf } from "../../memory/array.ts";
import { stridesOf } from "../../memory/shape.ts";
import { call } from "../core/calls.ts";
import type { Computation, None } from "../core/operation.ts";
import { isComplex, realOf } from "../complex/parts.ts";
import { bytesMoved } from "../elementwise/elementwise.ts";
import { functionRows } from "../elementwise/functions.ts";
import { copy } from "../shape/copy.ts";
import {
  columnMajor,
  copyTurned,
  fresh,
  matricesOf,
  matrixDType,
  runCall,
  sizeDType,
  squaresOf,
  triangleInto,
  turned,
  type MatrixDType,
} from "./matrices.ts";
import { asColumn, asRow, flip, gaps, half, onDiagonal, product, skew, toDType, total, upper } from "./terms.ts";

/** `cubes`: multiplications and additions for each element of a matrix and its shorter side. */
const costOf = (cubes: number) => (inputs: readonly DeviceArray[], outputs: readonly DeviceArray[]) => ({
  bytes: bytesMoved(inputs) + bytesMoved(outputs),
  flops: cubes * inputs[0]!.size * Math.min(inputs[0]!.shape.at(-1)!, inputs[0]!.shape.at(-2)!),
});

const unfinished = (name: string) => (matrix: string) =>
  new TensorError(
    "NOT_CONVERGED",
    `${matrix} that ${name} was given has no result: the iteration did not converge. Look for NaN and Infinity in it, with .isfinite().all().`,
  );

const columnsScaled = (x: DeviceArray, by: DeviceArray) => call("mul", [x, asRow(by)]);
const rowsScaled = (x: DeviceArray, by: DeviceArray) => call("mul", [x, asColumn(by)]);

/** `vectors`: the eigenvectors become a result. `isUpper`: the upper triangle is looked at. */
export interface Eigen {
  readonly vectors: boolean;
  readonly isUpper: boolean;
}

/** Outputs the eigenvalues of symmetric matrices, ascending, and with `vectors` the eigenvectors as columns. */
const eigh: Computation<[x: DeviceArray], Eigen> = {
  inPlace: false,
  infer([x], { vectors }) {
    const name = vectors ? "eigh" : "eigvalsh";
    squaresOf(name, x);
    const dtype = matrixDType(name, x);
    const values = { shape: x.shape.slice(0, -1), dtype: sizeDType(dtype) };
    return [values, ...(vectors ? [{ shape: x.shape, dtype }] : [])];
  },
  run([values, vectors], [x], { isUpper }, on) {
    const sizes = squaresOf("eigh", x);
    const dtype = matrixDType("eigh", x);
    // A real matrix is as good as its transpose, whose upper triangle the lower one is.
    const isTurned = isUpper || isComplex(x);
    using work = isTurned ? columnMajor(on, x, dtype) : fresh(on, x, dtype);
    const part = isTurned && !isUpper ? " lower=1" : "";
    const text = `eigh n=${sizes.rows}${part}${vectors === undefined ? "" : " vectors=1"}`;
    const places = [work, values!];
    const explain = unfinished(vectors === undefined ? "eigvalsh" : "eigh");
    runCall(on, sizes, { text, dtype, places, written: places, explain });
    if (vectors !== undefined) copyTurned(on, vectors, work);
  },
  // Giles 2008, "Collected matrix derivative results", section 3.1, of symmetric changes.
  gradient([gValues, gVectors], { inputs: [x], outputs: [values, vectors] }) {
    if (vectors === undefined)
      throw new GradientError("NO_GRADIENT", "Eigenvalues without eigenvectors have no gradient: use linalg.eigh.");
    const back = flip(vectors);
    const spread = gVectors ? call("div", [half(skew(product(back, gVectors))), gaps(values!)]) : null;
    const inner = total(gValues ? onDiagonal(gValues) : null, spread)!;
    // Both triangles share the slope of a symmetric change, also the one that was not looked at.
    return [toDType(product(product(vectors, inner), back), x)];
  },
  cost: costOf(9),
};

/**
 * Outputs the eigenvalues of matrices as libraries have them, real parts [B…, 0, n] and imaginary ones [B…, 1, n], the
 * positive one of a pair first, and with `vectors` the eigenvectors as rows: of a pair the real parts as one and the
 * imaginary ones as the next. Of complex matrices both are as they are: [B…, n] and rows. It has no gradient: that of
 * linalg.eig is its own.
 */
const eigenParts: Computation<[x: DeviceArray], { readonly vectors: boolean }> = {
  inPlace: false,
  infer([x], { vectors }) {
    const name = vectors ? "eig" : "eigvals";
    const { batch, rows } = squaresOf(name, x);
    const dtype = matrixDType(name, x);
    const shape = isComplex(x) ? [...batch, rows] : [...batch, 2, rows];
    return [{ shape, dtype }, ...(vectors ? [{ shape: x.shape, dtype }] : [])];
  },
  run([values, vectors], [x], _, on) {
    const sizes = squaresOf("eig", x);
    if (sizes.count * sizes.rows === 0) return;
    const dtype = values!.dtype as MatrixDType;
    using work = columnMajor(on, x, dtype);
    const text = `eig n=${sizes.rows}${vectors === undefined ? "" : " vectors=1"}`;
    const places = [work, values!, ...(vectors === undefined ? [] : [vectors])];
    const explain = unfinished(vectors === undefined ? "eigvals" : "eig");
    runCall(on, sizes, { text, dtype, places, written: places, explain });
  },
  gradient: null,
  cost: costOf(25),
};

export type Vectors = "none" | "thin" | "full";

/**
 * Outputs singular values, descending, and with vectors U and Vᵀ: x = U · diag(S) · Vᵀ, in this order: S, U, Vᵀ.
 * "thin": as many columns of U and rows of Vᵀ as singular values.
 */
const svd: Computation<[x: DeviceArray], { readonly vectors: Vectors }> = {
  inPlace: false,
  infer([x], { vectors }) {
    const name = vectors === "none" ? "svdvals" : "svd";
    const { batch, rows, columns } = matricesOf(name, x);
    const dtype = matrixDType(name, x);
    const count = Math.min(rows, columns);
    const [left, right] = vectors === "full" ? [rows, columns] : [count, count];
    const values = { shape: [...batch, count], dtype: sizeDType(dtype) };
    if (vectors === "none") return [values];
    return [values, { shape: [...batch, rows, left], dtype }, { shape: [...batch, right, columns], dtype }];
  },
  run([values, u, vt], [x], { vectors }, on) {
    svdInto(on, { values: values!, u, vt }, x, vectors);
  },
  // Townsend 2016, "Differentiating the singular value decomposition".
  gradient([gValues, gU, gV], { inputs: [x], outputs: [s, u, vt], attributes: { vectors } }) {
    if (u === undefined || vt === undefined)
      throw new GradientError("NO_GRADIENT", "Singular values without vectors have no gradient: use linalg.svd.");
    const [rows, columns] = [x.shape.at(-2)!, x.shape.at(-1)!];
    if (vectors === "full" && rows !== columns && (gU || gV))
      throw new GradientError(
        "NO_GRADIENT",
        "The vectors that fullMatrices adds to U or Vᵀ are not determined, so they have no gradient: use { fullMatrices: false }.",
      );
    const count = s!.shape.at(-1)!;
    const [left, right] = [part(u, -1, count), part(vt, -2, count)];
    const squares = gU || gV ? gaps(call("square", [s!])) : null;
    const fromU = gU ? columnsScaled(call("div", [skew(product(flip(left), gU)), squares!]), s!) : null;
    const fromV = gV ? rowsScaled(call("div", [skew(product(right, flip(gV))), squares!]), s!) : null;
    const phases = gU && gV && isComplex(x) ? onDiagonal(phaseSlope(left, gU, s!)) : null;
    const inner = total(fromU, fromV, gValues ? onDiagonal(gValues) : null, phases)!;
    const inside = product(product(left, inner), right);
    const overU = gU && rows > count ? product(without(left, call("div", [gU, asRow(s!)])), right) : null;
    const overV =
      gV && columns > count ? product(left, flip(without(flip(right), flip(call("div", [gV, asColumn(s!)]))))) : null;
    return [toDType(total(inside, overU, overV)!, x)];
  },
  cost: costOf(14),
};

/** What is left of turning both vectors of a complex matrix by one phase: diag(uᴴ · gU − gUᴴ · u) / 2 s. */
function phaseSlope(u: DeviceArray, gU: DeviceArray, s: DeviceArray): DeviceArray {
  const rank = u.shape.length;
  const diagonal = call("diagonal", [skew(product(flip(u), gU))], { offset: 0, axes: [rank - 2, rank - 1] });
  return call("div", [diagonal, call("mul", [s, 2])]);
}

/** y − q · qᴴ · y. */
const without = (q: DeviceArray, y: DeviceArray) => call("sub", [y, product(q, product(flip(q), y))]);

/** The first `count` of the last or last but one axis. */
function part(x: DeviceArray, axis: -1 | -2, count: number): DeviceArray {
  const at = x.shape.length + axis;
  if (x.shape[at] === count) return x;
  return call("slice", [x], { slices: [...Array<null>(at).fill(null), [0, count]] });
}

function svdInto(
  on: Execution,
  { values, u, vt }: { values: DeviceArray; u: DeviceArray | undefined; vt: DeviceArray | undefined },
  x: DeviceArray,
  vectors: Vectors,
): void {
  const sizes = matricesOf("svd", x);
  const { batch, rows, columns } = sizes;
  const dtype = matrixDType("svd", x);
  // GPUs take no matrices that are wider than high, so the higher of x and xᵀ is factorised. Column-major, xᵀ is x.
  const isHigh = rows > columns;
  const [m, n] = isHigh ? [rows, columns] : [columns, rows];
  using work = isHigh ? columnMajor(on, x, dtype) : fresh(on, x, dtype);
  const factorised = (...vectorPlaces: DeviceArray[]) => {
    const places = [work, values, ...vectorPlaces];
    const explain = unfinished(vectors === "none" ? "svdvals" : "svd");
    runCall(on, sizes, { text: `svd m=${m} n=${n} vectors=${vectors}`, dtype, places, written: places, explain });
  };
  if (u === undefined || vt === undefined) return factorised();
  // Column-major vectors are row-major ones, transposed: one of both is right as it comes.
  using columnsOfU = DeviceArray.allocate(on.device, dtype, [...batch, u.shape.at(-1)!, rows]);
  const right = isHigh ? vt : columnsOfU;
  if (isHigh) factorised(columnsOfU, vt);
  else factorised(vt, columnsOfU);
  // What lies there is V, row-major Vᵀ: of complex numbers its conjugates are wanted.
  if (isComplex(right)) {
    using imaginary = halfOf(right, 1);
    if (right.size > 0) functionRows.neg.run([imaginary], [imaginary], {}, on);
  }
  copyTurned(on, u, columnsOfU);
}

/** Outputs what qr's call leaves: R and below it the vectors of reflections [B…, m, n], and their scales [B…, min(m, n)]. */
const reflections: Computation<[x: DeviceArray], None> = {
  inPlace: false,
  infer([x]) {
    const { batch, rows, columns } = matricesOf("geqrf", x);
    const dtype = matrixDType("geqrf", x);
    return [
      { shape: x.shape, dtype },
      { shape: [...batch, Math.min(rows, columns)], dtype },
    ];
  },
  run([out, scales], [x], _, on) {
    const sizes = matricesOf("geqrf", x);
    if (out!.size === 0) return;
    const dtype = out!.dtype as MatrixDType;
    using work = columnMajor(on, x, dtype);
    const places = [work, scales!];
    runCall(on, sizes, { text: `qr m=${sizes.rows} n=${sizes.columns}`, dtype, places, written: places });
    copyTurned(on, out!, work);
  },
  gradient: null,
  cost: costOf(2),
};

export type QrMode = "reduced" | "complete" | "r";

/** Outputs Q and R, of mode "r" R alone: x = Q · R. */
const qr: Computation<[x: DeviceArray], { readonly mode: QrMode }> = {
  inPlace: false,
  infer([x], { mode }) {
    const { batch, rows, columns } = matricesOf("qr", x);
    const dtype = matrixDType("qr", x);
    const inner = mode === "complete" ? rows : Math.min(rows, columns);
    const r = { shape: [...batch, inner, columns], dtype };
    return mode === "r" ? [r] : [{ shape: [...batch, rows, inner], dtype }, r];
  },
  run(outputs, [x], { mode }, on) {
    const sizes = matricesOf("qr", x);
    const { batch, rows, columns } = sizes;
    const r = outputs.at(-1)!;
    const dtype = r.dtype as MatrixDType;
    const factors = Math.min(rows, columns);
    using work = columnMajor(on, x, dtype);
    using scales = DeviceArray.allocate(on.device, dtype, [...batch, factors]);
    const places = [work, scales];
    if (factors > 0) runCall(on, sizes, { text: `qr m=${rows} n=${columns}`, dtype, places, written: places });
    using matrix = turned(work);
    using top = viewOf(matrix, { shape: r.shape, strides: matrix.strides, offset: matrix.offset });
    triangleInto(on, r, top, false);
    if (mode === "r") return;
    const [q] = outputs;
    const wanted = q!.shape.at(-1)!;
    // Room for the columns that are wanted, as rows; what reflections there are, in front.
    using own = DeviceArray.allocate(on.device, dtype, [...batch, wanted, rows]);
    const shape = [...batch, factors, rows];
    using to = viewOf(own, { shape, strides: stridesOf(own.shape), offset: 0 });
    using from = viewOf(work, { shape, strides: stridesOf(work.shape), offset: 0 });
    copy(on, to, from);
    const text = `orthonormal m=${rows} columns=${wanted} n=${factors}`;
    if (wanted > 0) runCall(on, sizes, { text, dtype, places: [own, scales], written: [own] });
    copyTurned(on, q!, own);
  },
  // Walter and Lehmann 2010, "Algorithmic differentiation of linear algebra functions"; of a wide matrix the columns
  // behind the square part are Q · R₂.
  gradient([first, second], { inputs: [x], outputs, attributes: { mode } }) {
    const [rows, columns] = [x.shape.at(-2)!, x.shape.at(-1)!];
    if (mode === "r")
      throw new GradientError("NO_GRADIENT", 'R alone has no gradient: use linalg.qr with { mode: "reduced" }.');
    if (mode === "complete" && rows > columns)
      throw new GradientError(
        "NO_GRADIENT",
        'The columns that mode "complete" adds to Q are not determined, so they have no gradient: use { mode: "reduced" }.',
      );
    const [q, r] = outputs as [DeviceArray, DeviceArray];
    if (rows >= columns) return [toDType(squareGradient(first!, second!, q, r), x)];
    const behind = (matrix: DeviceArray) =>
      call("slice", [matrix], { slices: [...Array<null>(matrix.shape.length - 1).fill(null), [rows, columns]] });
    const gRight = second ? behind(second) : null;
    const fromRight = gRight ? product(behind(x), flip(gRight)) : null;
    const left = squareGradient(total(first!, fromRight), second ? part(second, -1, rows) : null, q, part(r, -1, rows));
    const right = gRight ? product(q, gRight) : call("mul", [behind(x), 0]);
    return [toDType(call("cat", [left, right], { axis: x.shape.length - 1 }), x)];
  },
  cost: costOf(4),
};

/** Of Q · R with a square R. */
function squareGradient(gQ: DeviceArray | null, gR: DeviceArray | null, q: DeviceArray, r: DeviceArray): DeviceArray {
  const fromR = gR ? product(gR, flip(r)) : null;
  const fromQ = gQ ? call("neg", [product(flip(q), gQ)]) : null;
  const m = total(fromR, fromQ)!;
  const above = upper(m, 1);
  const symmetric = total(above, flip(above), onDiagonal(realDiagonal(m)))!;
  const whole = total(gQ, product(q, symmetric))!;
  // whole · R⁻ᴴ = (R⁻¹ · wholeᴴ)ᴴ.
  return flip(call("solveTriangular", [r, flip(whole)], { isUpper: true, isTransposed: false, isUnit: false }));
}

/** R has a real diagonal. */
function realDiagonal(x: DeviceArray): DeviceArray {
  const rank = x.shape.length;
  const diagonal = call("diagonal", [x], { offset: 0, axes: [rank - 2, rank - 1] });
  return isComplex(diagonal) ? realOf(diagonal) : diagonal;
}

export const spectralRows = { eigh, eigenParts, svd, reflections, qr } as const;
