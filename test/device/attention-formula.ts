// Attention by its formula in float64, forward and backward, and how far a device may be from it.
import type { nn } from "../../native/lib/index.ts";

export interface Case {
  readonly batch?: number;
  readonly heads?: number;
  readonly keyHeads?: number;
  readonly queries: number;
  readonly keys: number;
  readonly width?: number;
  readonly values?: number;
  readonly options?: Omit<nn.AttentionOptions, "mask">;
  readonly mask?: "bool" | "float";
  /** Of the mask, where it is broadcast. */
  readonly maskShape?: readonly number[];
}
export type Whole = Required<Omit<Case, "mask" | "maskShape">> & Pick<Case, "mask" | "maskShape">;
export const whole = (given: Case): Whole => ({
  batch: 2,
  heads: 2,
  keyHeads: given.heads ?? 2,
  width: 8,
  values: given.width ?? 8,
  options: {},
  ...given,
});

export interface Result {
  out: number[];
  lse: number[];
  dq: number[];
  dk: number[];
  dv: number[];
  dMask: number[];
}
const result = (sizes: Record<keyof Result, number>): Result =>
  Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, new Array<number>(size).fill(0)])) as never;

/**
 * The formula and its gradients in float64, and for each number what roundings may make of it: `sum` of each addition,
 * `own` of what is kept as the dtype, which is `least` at least: half of its smallest step.
 */
export function reference(
  given: Whole,
  { q, k, v, mask, g }: Record<"q" | "k" | "v" | "g", number[]> & { mask: ((at: number[]) => number) | null },
  { sum, own, least }: { sum: number; own: number; least: number },
  maskPlace: (at: number[]) => number,
  maskSize: number,
): { value: Result; error: Result } {
  const { batch, heads, keyHeads, queries, keys, width, values, options } = given;
  const { causal = false, alignment = "end", window, softcap } = options;
  const scale = options.scale ?? 1 / Math.sqrt(width);
  const [before, after] = typeof window === "number" ? [window - 1, window - 1] : (window ?? [Infinity, Infinity]);
  const diagonal = alignment === "end" ? keys - queries : 0;
  const sees = (i: number, j: number) =>
    j >= i + diagonal - before && j <= i + diagonal + (causal ? Math.min(0, after) : after);
  const sizes = {
    out: batch * heads * queries * values,
    lse: batch * heads * queries,
    dq: batch * heads * queries * width,
    dk: batch * keyHeads * keys * width,
    dv: batch * keyHeads * keys * values,
    dMask: maskSize,
  };
  const value = result(sizes),
    error = result(sizes);
  const row = (list: number[], at: number, length: number) => list.slice(at * length, (at + 1) * length);
  const dot = (a: number[], b: number[]) => a.reduce((total, each, at) => total + each * b[at]!, 0);
  const dotSize = (a: number[], b: number[]) => a.reduce((total, each, at) => total + Math.abs(each * b[at]!), 0);
  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++) {
      const keyHead = b * keyHeads + Math.floor(h / (heads / keyHeads));
      const ks = Array.from({ length: keys }, (_, j) => row(k, keyHead * keys + j, width));
      const vs = Array.from({ length: keys }, (_, j) => row(v, keyHead * keys + j, values));
      for (let i = 0; i < queries; i++) {
        const line = (b * heads + h) * queries + i;
        const qi = row(q, line, width),
          gi = row(g, line, values);
        const slopes: number[] = [];
        let wrong = 0;
        const scores = ks.map((kj, j) => {
          if (!sees(i, j)) return -Infinity;
          const plain = dot(qi, kj) * scale;
          const capped = softcap === undefined ? plain : softcap * Math.tanh(plain / softcap);
          slopes[j] = softcap === undefined ? 1 : 1 - (capped / softcap) ** 2;
          const score = capped + (mask === null ? 0 : mask([b, h, i, j]));
          if (score > -Infinity)
            wrong = Math.max(
              wrong,
              sum * ((width + 4) * dotSize(qi, kj) * Math.abs(scale) + 8 * (softcap ?? 0) + 2 * Math.abs(score)),
            );
          return score;
        });
        const most = scores.reduce((a, c) => Math.max(a, c), -Infinity);
        const powers = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - most)));
        const total = powers.reduce((a, c) => a + c, 0);
        value.lse[line] = total === 0 ? -Infinity : most + Math.log(total);
        if (total === 0) continue;
        error.lse[line] = wrong + sum * (keys + 8 + Math.abs(value.lse[line]));
        const weights = powers.map((power) => power / total);
        // Of a weight relative to it: both scores, the power, the sums.
        const share = 2 * wrong + sum * (2 * keys + 32) + 2 * own;
        for (let d = 0; d < values; d++) {
          const at = line * values + d;
          const parts = weights.map((weight, j) => weight * vs[j]![d]!);
          value.out[at] = parts.reduce((a, c) => a + c, 0);
          error.out[at] = parts.reduce((a, c) => a + Math.abs(c), 0) * share + own * Math.abs(value.out[at]);
          error.out[at] += least * vs.reduce((a, c) => a + Math.abs(c[d]!), 1);
        }
        const out = row(value.out, line, values);
        const delta = dot(gi, out),
          deltaSize = weights.reduce((a, weight, j) => a + weight * dotSize(gi, vs[j]!), 0);
        weights.forEach((weight, j) => {
          const slope = weight * (dot(gi, vs[j]!) - delta),
            size = weight * (dotSize(gi, vs[j]!) + deltaSize),
            // Each of the two products, and the weight that they are multiplied by.
            off = size * (2 * share + sum * (values + keys + 8) + 2 * own);
          if (maskSize > 0) {
            const at = maskPlace([b, h, i, j]);
            value.dMask[at]! += slope;
            error.dMask[at]! += off + own * size + sum * size * 64 + least;
          }
          const inner = weight === 0 ? 0 : slope * scale * slopes[j]!,
            innerOff = weight === 0 ? 0 : (off + sum * 32 * size) * Math.abs(scale);
          // Slopes are kept before they are scaled or after it, and results.
          const lost = weight === 0 ? 0 : least * Math.max(1, Math.abs(scale)),
            more = sum * (keys + queries * (heads / keyHeads)) + 2 * own;
          for (let d = 0; d < width; d++) {
            value.dq[line * width + d]! += inner * ks[j]![d]!;
            error.dq[line * width + d]! +=
              Math.abs(ks[j]![d]!) * (innerOff + more * size * Math.abs(scale) + lost) + lost;
            const at = (keyHead * keys + j) * width + d;
            value.dk[at]! += inner * qi[d]!;
            error.dk[at]! += Math.abs(qi[d]!) * (innerOff + more * size * Math.abs(scale) + lost) + lost;
          }
          for (let d = 0; d < values; d++) {
            const at = (keyHead * keys + j) * values + d;
            value.dv[at]! += weight * gi[d]!;
            error.dv[at]! += weight * Math.abs(gi[d]!) * (share + more) + lost * (1 + Math.abs(gi[d]!));
          }
        });
      }
    }
  return { value, error };
}
