// The sentences of faults: what a user reads for each way that a device process may end.
import { describe, expect, test } from "vitest";
import type { ErrorRecord } from "../wire/binding.ts";
import { DeviceFault, InterruptedError, LaunchError } from "../errors.ts";
import { faultOf, interruptionOf, type Loss, refusalOf } from "./faults.ts";
import { describeKernels, describeOrigins } from "./origins.ts";

describeKernels((id) => ["", "fill", "axpy"][id]);
describeOrigins((number) => `Cell [2]:${number}`);

const kept = "The arrays are kept; those that it may have been writing are marked.";

function record(changes: Partial<ErrorRecord>): ErrorRecord {
  return { sequence: 7, last: 7, fatal: true, code: "ILLEGAL_ADDRESS", text: "", ...changes };
}

function loss(changes: Partial<Loss>): Loss {
  return { device: "cuda:0", state: "exit 70", records: [], flights: [{ sequence: 7, kernel: 1, origin: 3 }], shareable: true, ...changes };
}

describe("a fault", () => {
  test("names kernel, block, thread and the call that launched", () => {
    const fault = faultOf(loss({ records: [record({ block: [3, 0, 0], thread: [7, 0, 0] })] }));
    expect(fault.message).toBe(`Expected kernel fill to stay inside its arrays, but it accessed an illegal address (block 3,0,0 thread 7,0,0), launched at Cell [2]:3. ${kept}`);
    expect(fault).toMatchObject({ name: "DeviceFault", code: "ILLEGAL_ADDRESS", device: "cuda:0", kernel: "fill", where: "Cell [2]:3", block: [3, 0, 0], thread: [7, 0, 0], sequence: 7 });
  });

  test("says what the device found, without its expectation", () => {
    expect(faultOf(loss({ records: [record({ text: "Expected an address inside an array, but block (3,0,0) accessed 0x10." })] })).message)
      .toBe(`Expected kernel fill to stay inside its arrays, but it accessed an illegal address, launched at Cell [2]:3. Seen by the device: block (3,0,0) accessed 0x10. ${kept}`);
  });

  test("names all launches that may be to blame, and blames the first", () => {
    const flights = [{ sequence: 5, kernel: 2, origin: 1 }, { sequence: 7, kernel: 1, origin: 3 }, { sequence: 8, kernel: 2, origin: 4 }, { sequence: 12, kernel: 2, origin: 5 }];
    const fault = faultOf(loss({ flights, records: [record({ sequence: 6, last: 9 })] }));
    expect(fault.message).toContain("It is the first of 2 launches that had not finished; any of them may be to blame.");
    expect(fault.candidates).toEqual([{ sequence: 7, kernel: "fill", where: "Cell [2]:3" }, { sequence: 8, kernel: "axpy", where: "Cell [2]:4" }]);
  });

  test.each([
    ["STACK_OVERFLOW", /to stay inside its stack, but it overflowed it/],
    ["DIVISION_BY_ZERO", /to divide integers by numbers other than zero, but it divided by zero/],
    ["DEADLOCK", /to bring all threads to every barrier, but it deadlocked/],
    ["TRAP", /to finish, but it stopped itself with a trap/],
    ["ASSERT", /to keep its assertions, but it broke one/],
    ["MISALIGNED_ADDRESS", /to access aligned addresses, but it accessed a misaligned address/],
    ["INVALID_ADDRESS_SPACE", /to use each pointer in its own address space, but it used one in another/],
    ["INVALID_PC", /to stay inside its own code, but it jumped out of it/],
    ["ILLEGAL_INSTRUCTION", /to execute valid instructions, but it met an illegal one/],
    ["HARDWARE_STACK_ERROR", /to stay inside its stack, but it corrupted or overflowed it/],
    ["LAUNCH_FAILED", /to finish, but it failed on the device/],
    ["LAUNCH_TIMEOUT", /to finish in time, but it ran longer than the system allows/],
    ["SOMETHING_NEW", /to finish, but cuda:0 reported SOMETHING_NEW/],
  ])("%s has its sentence", (code, sentence) => {
    expect(faultOf(loss({ records: [record({ code })] })).message).toMatch(sentence);
  });

  test("a process that ended without a word is said to have ended", () => {
    expect(faultOf(loss({ state: "signal 9" })).message).toBe(`Expected kernel fill to finish, but the device process of cuda:0 ended (signal 9), launched at Cell [2]:3. ${kept}`);
    expect(faultOf(loss({ state: "signal 9", flights: [] }))).toMatchObject({ code: "DIED", kernel: undefined, where: undefined, candidates: [] });
  });

  test("a device without shareable memory says that its arrays are lost", () => {
    expect(faultOf(loss({ shareable: false })).message).toMatch(/This device has no shareable memory: its arrays are lost\.$/);
  });

  test("a kernel and a call that nobody knows are said by number, or not at all", () => {
    expect(faultOf(loss({ flights: [{ sequence: 7, kernel: 44, origin: 0 }] })).message).toBe(`Expected kernel number 44 to finish, but the device process of cuda:0 ended (exit 70). ${kept}`);
  });
});

test("a refused launch is a LaunchError that names the call; any other refusal is a DeviceFault", () => {
  const flights = [{ sequence: 7, kernel: 2, origin: 9 }];
  const launch = refusalOf(record({ fatal: false, code: "INVALID_LAUNCH", text: "Expected a block of at most 1024 threads but got 2048." }), "cpu", flights);
  expect(launch).toBeInstanceOf(LaunchError);
  expect(launch.message).toBe("Expected a block of at most 1024 threads but got 2048 (kernel axpy, launched at Cell [2]:9).");

  const other = refusalOf(record({ fatal: false, code: "ILLEGAL_PLACE", text: "Expected a known segment but got 9." }), "cpu", []);
  expect(other).toBeInstanceOf(DeviceFault);
  expect(other.message).toBe("Expected a known segment but got 9.");
});

test("an interrupt names the kernel that ran", () => {
  const error = interruptionOf(loss({}));
  expect(error).toBeInstanceOf(InterruptedError);
  expect(error).toMatchObject({ code: "INTERRUPTED", kernel: "fill", where: "Cell [2]:3" });
  expect(error.message).toBe(`Expected kernel fill to finish but it was interrupted, launched at Cell [2]:3. ${kept}`);
  expect(interruptionOf(loss({ flights: [] })).message).toBe(`Expected cuda:0 to finish but it was interrupted. ${kept}`);
});
