// Random input that a run can be given again: see seed.ts.

/** Random numbers in [0, 1). */
export type Random = () => number;

/** The generator of a seed (SplitMix, 32 bits). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let word = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return ((word ^ (word >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** A seed for a generator. */
export const freshSeed = (): number => Math.floor(Math.random() * 2 ** 32);
