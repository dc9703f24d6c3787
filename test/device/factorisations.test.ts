// Calls of LAPACK on the CPU, which have a status: the next wait for the device says what it is.
import "./cache.ts";
import { describe, expect, test } from "vitest";
import { Execution } from "../../native/lib/device/execution.ts";
import { LibraryPlan } from "../../native/lib/device/library-plan.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { DeviceError, DeviceFault, TensorError } from "../../native/lib/errors.ts";
import { tensor, type Tensor } from "../../native/lib/index.ts";
import { binding } from "../../native/lib/wire/binding.ts";
import { Recording } from "../../native/lib/wire/recording.ts";
import { freshSeed, seeded } from "../helpers/random.ts";

const cpu = DeviceProcess.get("cpu");
const random = seeded(freshSeed());

const plan = (n: number, dtype: string) => LibraryPlan.obtain(cpu, `cholesky n=${n} type=${dtype}`);
const onCpu = (values: number[], n: number, dtype: "float32" | "float64") =>
  tensor(values, { device: "cpu", dtype }).reshape([n, n]);
/** The unit matrix, but for one number of its diagonal. */
const diagonal = (n: number, at: number, value: number) =>
  onCpu(
    Array.from({ length: n * n }, (_, i) => (i % (n + 1) !== 0 ? 0 : i === at * (n + 1) ? value : 1)),
    n,
    "float64",
  );

describe("cholesky", () => {
  test.each([
    ["float32", 1, 2 ** -24],
    ["float32", 63, 2 ** -24],
    ["float64", 40, 2 ** -53],
  ] as const)("of %s, %i rows, column-major: l · lᵀ is the matrix", (dtype, n, u) => {
    const m = Array.from({ length: n }, () => Array.from({ length: n }, () => random() * 2 - 1));
    const a = m.map((row, i) =>
      m.map((other, j) => row.reduce((sum, value, k) => sum + value * other[k]!, i === j ? n : 0)),
    );
    const x = onCpu(a.flat(), n, dtype);
    const given = [...x.data()] as number[];
    plan(n, dtype).run(cpu.execution, [x.place], []);
    const got = [...x.data()] as number[];
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        if (j > i) {
          expect(got[j * n + i]).toBe(given[j * n + i]);
          continue;
        }
        let [sum, size] = [0, 0];
        for (let k = 0; k <= j; k++) {
          const term = got[k * n + i]! * got[k * n + j]!;
          sum += term;
          size += Math.abs(term);
        }
        // Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.3; and the sum here.
        expect(Math.abs(sum - given[j * n + i]!)).toBeLessThanOrEqual(
          ((n + 1) * u * size) / (1 - (n + 1) * u) + n * 2 ** -53 * size,
        );
      }
  });

  test("a status is thrown once, by the first wait after the run, in the words of who ran it", () => {
    const [bad, good] = [diagonal(6, 3, -1), diagonal(6, 3, 16)];
    const explain = (status: number) => new TensorError("SINGULAR", `The minor of order ${status} is not positive.`);
    const factor = (x: Tensor) => plan(6, "float64").run(cpu.execution, [x.place], [], explain);
    factor(good);
    factor(bad);
    factor(good);
    expect(() => cpu.synchronize()).toThrow(new TensorError("SINGULAR", "The minor of order 4 is not positive."));
    cpu.synchronize();
    expect(good.toArray()).toEqual(diagonal(6, 3, 2).toArray());
  });

  test("without words of its own a status is an error of the library", () => {
    plan(5, "float64").run(cpu.execution, [diagonal(5, 0, 0).place], []);
    expect(() => cpu.synchronize()).toThrow(
      new DeviceError("LIBRARY", "cpu", "cholesky of OpenBLAS ended with status 1."),
    );
  });

  test("of more runs than there are words for, none is missed", () => {
    const matrices = Array.from({ length: 600 }, (_, index) => diagonal(4, 2, index === 555 ? -1 : 1));
    const found: number[] = [];
    expect(() => {
      for (const x of matrices)
        plan(4, "float64").run(cpu.execution, [x.place], [], (status) => {
          found.push(status);
          return new TensorError("SINGULAR", "Not positive.");
        });
      cpu.synchronize();
    }).toThrow("Not positive.");
    expect(found).toEqual([3]);
  });

  test("a process that died leaves no status behind", () => {
    const [bad, factor] = [diagonal(3, 1, -1), plan(3, "float64")];
    cpu.synchronize();
    process.kill(binding.processId(cpu.client), "SIGSTOP");
    factor.run(cpu.execution, [bad.place], []);
    process.kill(binding.processId(cpu.client), "SIGKILL");
    expect(() => cpu.synchronize()).toThrow(DeviceFault);
    const x = diagonal(3, 1, 9);
    plan(3, "float64").run(cpu.execution, [x.place], []);
    expect(x.toArray()).toEqual(diagonal(3, 1, 3).toArray());
  });

  test("what needs its status is not recorded", () => {
    const later = new Execution(cpu, 0, new Recording());
    expect(() => plan(4, "float64").run(later, [diagonal(4, 0, 1).place], [])).toThrow(
      "What is recorded has not been computed, so this operation cannot check the status of it: run it before or after, not as a part of what is recorded.",
    );
  });

  test.each([
    ["cholesky type=float32", 'PROTOCOL: The plan of cholesky lacks "n".'],
    ["cholesky n=4", 'PROTOCOL: The plan of cholesky lacks "type".'],
    ["cholesky n=0 type=float32", "UNSUPPORTED: LAPACK does not take matrices with 0 rows or columns."],
    ["cholesky n=4 type=float16", "UNSUPPORTED: LAPACK does not take matrices of float16."],
  ])("%s is refused", (text, sentence) => {
    const said = () => {
      try {
        LibraryPlan.obtain(cpu, text);
      } catch (error) {
        return `${(error as DeviceError).code}: ${(error as DeviceError).message}`;
      }
      return "";
    };
    expect(said()).toBe(sentence);
  });
});
