// Results have the dtypes that the checker is told: types.test.ts has it compute the same expressions.
import { describe, expect, test } from "vitest";
import * as w from "../../native/lib/index.ts";
import { results } from "../helpers/result-dtypes.ts";
import { devices } from "./devices.ts";

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  const named = Object.fromEntries(
    Object.entries({ f32: "float32", f64: "float64", f16: "float16", i32: "int32", i64: "int64", bool: "bool" }).map(
      ([name, dtype]) => [name, w.zeros([2, 2], { device, dtype: dtype as w.DType })],
    ),
  );
  const scope: Record<string, unknown> = { w, unknown: named["f32"], some: 2, ...named };

  test.each(results.filter(([, dtype]) => dtype !== "any"))("%s is of %s", (expression, dtype) => {
    const compute = new Function(...Object.keys(scope), `return ${expression};`);
    expect((compute(...Object.values(scope)) as w.Tensor).dtype).toBe(dtype);
  });
});
