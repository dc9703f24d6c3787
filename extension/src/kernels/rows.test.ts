// Rows: rates beside the device's, which are slow, sorted and filtered; and the columns that read them.
import { expect, test } from "vitest";
import { columnsFor, mostCounters, tabSeparated } from "./columns.ts";
import { filtered, rowsOf, slownessOf, ordered } from "./rows.ts";
import { device, facts, kernel } from "../../../test/helpers/kernel-facts.ts";

test("rates are of one launch in the mean, beside a copy and a product of the kernel's dtype", () => {
  const [one, other, third, short] = rowsOf(
    facts([
      kernel({ bytes: 2e6, flops: 1e7, dtype: "float32" }),
      kernel({ flops: 1e7, dtype: "constructor" }),
      kernel({ device: "cpu", bytes: 5 }),
      kernel({ mean: 0, bytes: 5, flops: 5 }),
    ]),
  );
  expect(one).toMatchObject({ bandwidth: 2e12, ofCopy: 0.5, throughput: 1e13, ofProduct: 0.2 });
  expect(other).toMatchObject({ bandwidth: null, ofCopy: null, throughput: 1e13, ofProduct: null });
  expect(third).toMatchObject({ device: null, bandwidth: 5e6, ofCopy: null });
  expect(short).toMatchObject({ bandwidth: null, throughput: null });
  expect(rowsOf(facts([kernel({ bytes: 5 })], { devices: [device({ copy: 0 })] }))[0]!.ofCopy).toBe(null);
});

test("the slowest are found by rank", () => {
  expect(slownessOf([3, 2, 1])).toEqual([null, null, null]);
  expect(slownessOf([1, 9, 2, 3])).toEqual([null, 25, null, null]);
  const marks = slownessOf(Array.from({ length: 40 }, (_, index) => index));
  expect(marks.slice(30)).toEqual([...Array<number>(8).fill(25), 5, 5]);
  expect(marks.filter(Boolean)).toHaveLength(10);
});

test("order: both ways, without a value last, equal ones as they were; names by their numbers", () => {
  const rows = rowsOf(
    facts([
      kernel({ name: "k10", registers: 8 }),
      kernel({ name: "k2", registers: null }),
      kernel({ name: "k1", registers: 32 }),
      kernel({ name: "k3", registers: 8 }),
    ]),
  );
  const names = (descending: boolean) =>
    ordered(rows, ({ kernel }) => kernel.registers, descending).map(({ name }) => name);
  expect(names(true)).toEqual(["k1", "k10", "k3", "k2"]);
  expect(names(false)).toEqual(["k10", "k3", "k1", "k2"]);
  expect(ordered(rows, ({ name }) => name, false).map(({ name }) => name)).toEqual(["k1", "k2", "k3", "k10"]);
  expect(rows.map(({ name }) => name)).toEqual(["k10", "k2", "k1", "k3"]);
});

test("the filter wants every word, in the name, the operation, the device or a line", () => {
  const rows = rowsOf(facts([kernel({ name: "sgemm", operation: "matmul", places: [1] }), kernel({ name: "AXPY" })]));
  const found = (query: string) => filtered(rows, query).map(({ name }) => name);
  expect(found("")).toEqual(["sgemm", "AXPY"]);
  expect(found("axpy cuda")).toEqual(["AXPY"]);
  expect(found(" MATMUL  [5]:1 ")).toEqual(["sgemm"]);
  expect(found(".*")).toEqual([]);
});

test("10,000 rows are sorted and filtered while a key is pressed", () => {
  const rows = rowsOf(
    facts(
      Array.from({ length: 10_000 }, (_, index) =>
        kernel({ name: `kernel_${(index * 7919) % 10_000}`, total: (index * 31) % 997 }),
      ),
    ),
  );
  const start = performance.now();
  expect(ordered(filtered(rows, "kernel_99"), ({ kernel }) => kernel.total, true).length).toBe(111);
  expect(performance.now() - start).toBeLessThan(100);
});

const ids = (kernels: Parameters<typeof kernel>[0][]) =>
  columnsFor(rowsOf(facts(kernels.map(kernel)))).columns.map(({ id }) => id);

test("a column is there when a row has something to say in it", () => {
  expect(ids([{}])).toEqual(["name", "share", "total", "calls", "grid", "block"]);
  expect(ids([{}, { calls: 2, shared: 0, local: 0 }])).toEqual([
    "name",
    "share",
    "total",
    "calls",
    "mean",
    "range",
    "grid",
    "block",
  ]);
  expect(
    ids([
      { grid: [], block: [] },
      { grid: [], block: [], device: "cpu" },
    ]),
  ).toEqual(["name", "share", "total", "calls", "device"]);
  expect(
    ids([
      {
        registers: 24,
        shared: 1,
        local: 8,
        theoreticalOccupancy: 75,
        bytes: 1,
        flops: 1,
        places: [0],
        counters: { "sm busy": 1, "dram bytes": 2 },
        samples: { wait: 1 },
      },
      { samples: {} },
    ]),
  ).toEqual([
    "name",
    "share",
    "total",
    "calls",
    "grid",
    "block",
    "registers",
    "shared",
    "local",
    "occupancy",
    "bandwidth",
    "throughput",
    "samples",
    "counter sm busy",
    "counter dram bytes",
    "places",
  ]);
  const counters = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`c${index}`, index]));
  expect(columnsFor(rowsOf(facts([kernel({ counters })])))).toMatchObject({ omittedCounters: 100 - mostCounters });
});

test("cells read as people write", () => {
  const [row] = rowsOf(
    facts([
      kernel({
        operation: "add",
        calls: 3,
        total: 36_000,
        mean: 12_000,
        deviation: 400,
        min: 11_500,
        max: 12_600,
        bytes: 24e6,
        flops: 12e6,
        dtype: "float32",
        achievedOccupancy: null,
        theoreticalOccupancy: 75,
        limiter: "registers",
        places: [0, 1],
        shared: 4096,
        samples: { "long scoreboard": 300, selected: 100 },
      }),
    ]),
  );
  const { columns } = columnsFor([row!]);
  expect(Object.fromEntries(columns.map(({ id, text }) => [id, text(row!)]))).toEqual({
    share: "50 %",
    total: "36.0 µs",
    calls: "3",
    mean: "12.0 ± 0.4 µs",
    range: "11.5 … 12.6 µs",
    name: "add axpy",
    grid: "64",
    block: "256",
    shared: "4.0 KiB",
    occupancy: "– / 75 % · registers",
    bandwidth: "2 TB/s · 50 %",
    throughput: "1 TFLOP/s · 2.0 %",
    samples: "75 % · long scoreboard",
    places: "Cell [3]:4 +1",
  });
});

test("what is copied is a table for a spreadsheet, whatever a kernel is called", () => {
  const rows = rowsOf(facts([kernel({ name: "=cmd|' /C calc'!A0" }), kernel({ name: "two\tcells\nand lines" })]));
  const { columns } = columnsFor(rows);
  const lines = tabSeparated(rows, columns).split("\n");
  expect(lines[0]!.split("\t")).toEqual(["Name", "Operation", "Share of time", "Total (ns)", "Calls", "Grid", "Block"]);
  expect(lines[1]).toBe("'=cmd|' /C calc'!A0\t\t0.5\t1000\t1\t64\t256");
  expect(lines[2]).toBe("two cells and lines\t\t0.5\t1000\t1\t64\t256");
  expect(lines[3]).toBe("");
});
