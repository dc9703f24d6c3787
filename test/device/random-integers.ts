// Random integers, ends of ranges among them.
import { freshSeed } from "../helpers/random.ts";

let state = freshSeed();

/** 32 random bits. */
export function bits(): number {
  state = (state + 0x9e3779b9) >>> 0;
  let x = state;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** A random integer below `limit`. */
export const below = (limit: number): number => Math.floor((bits() / 2 ** 32) * limit);

/** A random number of [0, 1). */
export const uniform = (): number => bits() / 2 ** 32;

const ends = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff];

/** 32 bits, of which bytes and halves are often at an end of their range. */
export const edgy = (): number =>
  below(2) === 0
    ? bits()
    : ((ends[below(8)]! << 16) | ends[below(8)]! | (below(2) * (ends[below(5)]! << 24)) | (ends[below(5)]! << 8)) >>> 0;
