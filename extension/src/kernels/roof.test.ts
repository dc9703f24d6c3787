// The roofline's arithmetic: ceilings, points, and the decades around them.
import { expect, test } from "vitest";
import { ceilingAt, decadesOf, mostPoints, radiusOf, roofOf, ticksOf } from "./roof.ts";
import { rowsOf } from "./rows.ts";
import { device, facts, kernel } from "../../../test/helpers/kernel-facts.ts";

const roof = (kernels: Parameters<typeof kernel>[0][], of = device()) =>
  roofOf(of, rowsOf(facts(kernels.map(kernel), { devices: [of] })));

test("the lower of what memory and arithmetic allow", () => {
  expect(ceilingAt(device(), 2, "float32")).toEqual({ rate: 8e12, by: "memory" });
  expect(ceilingAt(device(), 12.5, "float32")).toEqual({ rate: 50e12, by: "memory" });
  expect(ceilingAt(device(), 100, "float32")).toEqual({ rate: 50e12, by: "compute" });
  expect(ceilingAt(device(), 100, null)).toEqual({ rate: 400e12, by: "memory" });
  expect(ceilingAt(device({ copy: null }), 100, "float16")).toEqual({ rate: 800e12, by: "compute" });
  expect(ceilingAt(device({ copy: null }), 100, "__proto__")).toBe(null);
  expect(ceilingAt(device({ copy: 0, product: {} }), 1, "float32")).toBe(null);
});

test("a kernel is a point where bytes and operations are known; with one of them it is listed, with none counted", () => {
  const { points, partial, unknown, products, copy } = roof([
    { bytes: 1e6, flops: 2e6, dtype: "float32", total: 5 },
    { bytes: 1e6, total: 7 },
    { flops: 1e6 },
    {},
    { bytes: 0, flops: 5 },
    { bytes: 5, flops: 0 },
    { mean: 0, bytes: 1, flops: 1 },
    { device: "cpu", bytes: 1, flops: 1 },
  ]);
  expect(points).toMatchObject([{ intensity: 2, rate: 2e12, ceiling: { rate: 8e12, by: "memory" } }]);
  expect(partial.map(({ index }) => index)).toEqual([2, 4, 5, 1]);
  expect(unknown).toBe(2);
  expect(products.map(({ dtype }) => dtype)).toEqual(["float16", "float32"]);
  expect(copy).toBe(4e12);
});

test("those that took longest have a point where there is no room for all, and the largest is drawn first", () => {
  const { points, omitted } = roof(
    Array.from({ length: mostPoints + 5 }, (_, total) => ({ bytes: 1, flops: 1, total, share: total / 1000 })),
  );
  expect(points).toHaveLength(mostPoints);
  expect(omitted).toBe(5);
  expect(points[0]!.row.kernel.total).toBe(mostPoints + 4);
  expect(radiusOf(points[0]!)).toBeGreaterThan(radiusOf(points.at(-1)!));
});

test("the picture holds every point and every ridge", () => {
  const { across, up } = roof([
    { bytes: 1e6, flops: 1e4 },
    { bytes: 1e2, flops: 1e5 },
  ]);
  expect(across).toEqual([-3, 4]);
  expect(up).toEqual([9, 15]);
  expect(roof([{ bytes: 1e6, flops: 1e6 }], device({ copy: 4e12, product: {} })).up[1]).toBeGreaterThanOrEqual(
    Math.log10(4e12),
  );
  expect(roof([{ bytes: 1e6, flops: 1e6 }], device({ copy: null, product: {} })).copy).toBe(null);
});

test("decades and their names, also of the smallest and largest numbers", () => {
  expect(decadesOf([])).toEqual([0, 2]);
  expect(decadesOf([3])).toEqual([-1, 1]);
  expect(decadesOf([5e-324, 1.7e308])).toEqual([-324, 309]);
  expect(ticksOf([0, 4], 10)).toEqual([0, 1, 2, 3, 4]);
  expect(ticksOf([-324, 309], 8)).toHaveLength(8);
  expect(ticksOf([0, 3], 0)).toEqual([0, 3]);
});
