// What the library says of a reduction's state beside what the compiler says: a state that is larger than its room
// would be written over its neighbours.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { compile, zeros, type Kernel } from "../../native/lib/index.ts";
import { factsOf, type DType } from "../../native/lib/memory/dtype.ts";
import { reducers, type Reducer } from "../../native/lib/ops/reducers.ts";
import { devices } from "./devices.ts";

const rows = Object.entries(reducers as Record<string, Reducer>).flatMap(([name, { functor, dtypes, stateBytes }]) =>
  dtypes.map((dtype: DType) => ({ name: `${name} of ${dtype}`, functor, dtype, bytes: stateBytes(dtype) })),
);

describe.each(devices.map(({ name }) => name))("on %s", (device) => {
  test("the states of all reductions have the bytes that are made room for", async () => {
    const sizes = rows.map(
      ({ functor, dtype }, at) => `  out[${at}] = sizeof(${functor}<${factsOf(dtype).c}>::State);`,
    );
    const { kernels } = await compile(
      `#define WARPCELL_SIXTEEN_BITS
#include <warpcell/reduction.cuh>
using namespace warpcell;
__global__ void sizes(long long* out) {
${sizes.join("\n")}
}`,
      { device },
    );
    const out = zeros([rows.length], { dtype: "int64", device });
    (kernels["sizes"] as Kernel).launch({ grid: 1, block: 1 }, out);
    const found = out.toArray() as bigint[];
    expect(rows.map(({ name }, at) => `${name}: ${found[at]}`)).toEqual(
      rows.map(({ name, bytes }) => `${name}: ${bytes}`),
    );
  });
});
