// Sizes that kernels divide by, as products and shifts (device/include/warpcell/layout.cuh, `quotient`).
import { expect, test } from "vitest";
import "../../index.ts";
import { planeOf } from "./map.ts";

const divisorAt = (words: Uint32Array): [multiplier: bigint, shift: bigint] => [BigInt(words[6]!), BigInt(words[7]!)];

test("a product and a shift divide every number below 2^31", () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`map.test.ts: seed ${seed}`);
  let state = seed;
  const random = () => (state = Number((BigInt(state) * 48271n + 11n) % 2147483647n));
  const sizes = [
    2,
    3,
    5,
    7,
    8,
    9,
    1000,
    8191,
    65535,
    65536,
    65537,
    2 ** 30 - 1,
    ...Array.from({ length: 500 }, random),
  ];
  for (const size of sizes.filter((each) => each >= 2 && each < 2 ** 30)) {
    const [multiplier, shift] = divisorAt(planeOf({ shape: [2, size], strides: [0, 1], offset: 0 })!);
    const numbers = [0, 1, size - 1, size, size + 1, 2 ** 31 - 1, 2 ** 31 - 2, random(), random(), random() * size];
    for (const number of numbers.filter((each) => each < 2 ** 31)) {
      const quotient = (((BigInt(number) * multiplier) >> 32n) + BigInt(number)) >> shift;
      expect([seed, number, size, Number(quotient)]).toEqual([seed, number, size, Math.floor(number / size)]);
    }
  }
});
