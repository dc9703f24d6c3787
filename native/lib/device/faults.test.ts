// The sentences of faults: what a user reads for each way that a device process may end.
import { describe, expect, test } from "vitest";
import type { ErrorRecord } from "../wire/binding.ts";
import { DeviceFault, InterruptedError, LaunchError } from "../errors.ts";
import { faultOf, interruptionOf, type Loss, refusalOf } from "./faults.ts";
import { describeKernels, describeOrigins } from "./origins.ts";

describeKernels((id) => ["", "fill", "axpy"][id]);
const at = (line: number) => ({ label: "Cell [2]", cell: "c2", count: 2, line });
describeOrigins(at);

const kept = "The arrays are kept; those that a kernel may have been writing are marked.";

function record(changes: Partial<ErrorRecord>): ErrorRecord {
  return { sequence: 7, last: 7, fatal: true, code: "ILLEGAL_ADDRESS", text: "", ...changes };
}

function loss(changes: Partial<Loss>): Loss {
  return {
    device: "cuda:0",
    state: "exit 70",
    records: [],
    flights: [{ sequence: 7, kernel: 1, origin: 3 }],
    shareable: true,
    ...changes,
  };
}

describe("a fault", () => {
  test("names kernel, block, thread and the call that launched", () => {
    const fault = faultOf(loss({ records: [record({ block: [3, 0, 0], thread: [7, 0, 0] })] }));
    expect(fault.message).toBe(
      `Kernel fill accessed an illegal address (block 3,0,0 thread 7,0,0; launched at Cell [2]:3). ${kept}`,
    );
    expect(fault).toMatchObject({
      name: "DeviceFault",
      code: "ILLEGAL_ADDRESS",
      device: "cuda:0",
      kernel: "fill",
      place: at(3),
      where: "Cell [2]:3",
      block: [3, 0, 0],
      thread: [7, 0, 0],
      sequence: 7,
    });
  });

  test("says what the device found", () => {
    expect(
      faultOf(loss({ records: [record({ text: "Block (3,0,0) accessed 0x10, which is in no array." })] })).message,
    ).toBe(
      `Kernel fill accessed an illegal address (launched at Cell [2]:3). Block (3,0,0) accessed 0x10, which is in no array. ${kept}`,
    );
  });

  test("names all launches that may be to blame, and blames the first", () => {
    const flights = [
      { sequence: 5, kernel: 2, origin: 1 },
      { sequence: 7, kernel: 1, origin: 3 },
      { sequence: 8, kernel: 2, origin: 4 },
      { sequence: 12, kernel: 2, origin: 5 },
    ];
    const fault = faultOf(loss({ flights, records: [record({ sequence: 6, last: 9 })] }));
    expect(fault.message).toContain(
      "This launch is the first of 2 that had not finished; any of them may be to blame.",
    );
    expect(fault.candidates).toEqual([
      { sequence: 7, kernel: "fill", place: at(3) },
      { sequence: 8, kernel: "axpy", place: at(4) },
    ]);
  });

  test.each([
    ["STACK_OVERFLOW", /^Kernel fill overflowed its stack \(/],
    ["DIVISION_BY_ZERO", /^Kernel fill divided an integer by zero \(/],
    ["DEADLOCK", /^Kernel fill deadlocked \(/],
    ["TRAP", /^Kernel fill stopped itself with a trap \(/],
    ["ASSERT", /^Kernel fill failed an assertion \(/],
    ["MISALIGNED_ADDRESS", /^Kernel fill accessed a misaligned address \(/],
    ["INVALID_ADDRESS_SPACE", /^Kernel fill used a pointer in the wrong address space \(/],
    ["INVALID_PC", /^Kernel fill jumped out of its code \(/],
    ["ILLEGAL_INSTRUCTION", /^Kernel fill ran an illegal instruction \(/],
    ["HARDWARE_STACK_ERROR", /^Kernel fill overflowed or corrupted its stack \(/],
    ["LAUNCH_FAILED", /^Kernel fill failed on the device \(/],
    ["LAUNCH_TIMEOUT", /^Kernel fill ran longer than the system allows \(/],
    ["SOMETHING_NEW", /^Kernel fill failed \(launched at Cell \[2\]:3\): cuda:0 reported SOMETHING_NEW\./],
  ])("%s has its sentence", (code, sentence) => {
    expect(faultOf(loss({ records: [record({ code })] })).message).toMatch(sentence);
  });

  test("a process that ended without a word is said to have ended", () => {
    expect(faultOf(loss({ state: "signal 9" })).message).toBe(
      `Kernel fill did not finish (launched at Cell [2]:3): the device process of cuda:0 ended (signal 9). ${kept}`,
    );
    expect(faultOf(loss({ state: "signal 9", flights: [] }))).toMatchObject({
      code: "DIED",
      kernel: undefined,
      place: undefined,
      where: undefined,
      candidates: [],
    });
  });

  test("a device without shareable memory says that its arrays are lost", () => {
    expect(faultOf(loss({ shareable: false })).message).toMatch(
      /This device has no shareable memory: its arrays are lost\.$/,
    );
  });

  test("a kernel and a call that nobody knows are said by number, or not at all", () => {
    expect(faultOf(loss({ flights: [{ sequence: 7, kernel: 44, origin: 0 }] })).message).toBe(
      `Kernel number 44 did not finish: the device process of cuda:0 ended (exit 70). ${kept}`,
    );
  });
});

test("a refused launch is a LaunchError that names the call; any other refusal is a DeviceFault", () => {
  const flights = [{ sequence: 7, kernel: 2, origin: 9 }];
  const launch = refusalOf(
    record({ fatal: false, code: "INVALID_LAUNCH", text: "A block has at most 1024 threads, but this one has 2048." }),
    "cpu",
    flights,
  );
  expect(launch).toBeInstanceOf(LaunchError);
  expect((launch as LaunchError).place).toEqual(at(9));
  expect(launch.message).toBe(
    "A block has at most 1024 threads, but this one has 2048 (kernel axpy, launched at Cell [2]:9).",
  );

  const other = refusalOf(record({ fatal: false, code: "ILLEGAL_PLACE", text: "There is no segment 9." }), "cpu", []);
  expect(other).toBeInstanceOf(DeviceFault);
  expect(other.message).toBe("There is no segment 9.");
});

test("an interrupt names the kernel that ran", () => {
  const error = interruptionOf(loss({}));
  expect(error).toBeInstanceOf(InterruptedError);
  expect(error).toMatchObject({ code: "INTERRUPTED", kernel: "fill", place: at(3), where: "Cell [2]:3" });
  expect(error.message).toBe(`Kernel fill was interrupted (launched at Cell [2]:3). ${kept}`);
  expect(interruptionOf(loss({ flights: [] })).message).toBe(`The work on cuda:0 was interrupted. ${kept}`);
});
