// Cells on the cpu device with a compiler of the test's choice: turns source and typed arrays into a launch and what it
// wrote.
import { spawnSync } from "node:child_process";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { binding } from "../../native/lib/wire/binding.ts";
import { DeviceFault } from "../../native/lib/errors.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";
import { devices } from "./devices.ts";
import { launch, load, read, write } from "./records.ts";

/** The compilers that this machine has; a missing one is said, not passed over. */
export const compilers = ["clang++", "clang++-19", "g++"]
  .filter((name) => spawnSync(name, ["--version"]).status === 0)
  .filter((name, index, all) => name === "g++" || all.findIndex((other) => other.startsWith("clang")) === index);
if (compilers.length < 2)
  console.log(`Cells are compiled with ${compilers.join()} only: this machine has no other compiler.`);

export const cpu = DeviceProcess.get("cpu");

/** Every device, and of the CPU every compiler. */
export const targets = devices.flatMap(({ name }): { device: string; compiler: string }[] =>
  (name === "cpu" ? compilers : ["NVRTC"]).map((compiler) => ({ device: name, compiler })),
);

/** From here on cells are compiled by `compiler`, in a device process and with a cache of their own. */
export function use(compiler: string): void {
  if (compiler === "NVRTC") return;
  process.env["WARPCELL_CXX"] = compiler;
  process.env["XDG_CACHE_HOME"] = join(tmpdir(), `warpcell-tests-${userInfo().uid}`, compiler);
  expect(() => {
    binding.kill(cpu.client);
    cpu.request("hello", {});
  }).toThrow(DeviceFault);
}

export type Numbers = Int32Array | Uint32Array | Float32Array | Float64Array | BigInt64Array | Uint16Array;

export interface Shape {
  grid?: [number, number, number];
  block?: [number, number, number];
  cluster?: [number, number, number];
  shared?: number;
}

let kernels = 1000;

/** Compiles a source once; `run` launches one of its kernels on arrays, which it copies there and back. */
export class Cell {
  readonly #first: number;
  readonly #expressions: string[];

  constructor(source: string, expressions: string[], options: string[] = []) {
    this.#first = kernels;
    this.#expressions = expressions;
    kernels += expressions.length;
    load(cpu, source, expressions, this.#first, options);
  }

  id(expression: string): number {
    const index = this.#expressions.indexOf(expression);
    if (index < 0) throw new Error(`Expected one of ${this.#expressions.join("; ")} but got ${expression}.`);
    return this.#first + index;
  }

  /** Parameters: a pointer per array, then 32-bit integers. The arrays hold afterwards what the device has. */
  run(expression: string, shape: Shape, arrays: Numbers[], integers: number[] = []): void {
    const places = arrays.map((array) => cpu.allocate(array.byteLength, "device"));
    arrays.forEach((array, index) => write(cpu, places[index]!, bytesOf(array)));
    launch(cpu, { kernel: this.id(expression), ...shape, pointers: places, integers });
    cpu.synchronize();
    arrays.forEach((array, index) => bytesOf(array).set(read(cpu, places[index]!, array.byteLength)));
    places.forEach((place) => cpu.free(place));
  }
}

function bytesOf(array: Numbers): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

export function threadsOf([x, y, z]: [number, number, number]): number {
  return x * y * z;
}

/** Random integers below `limit`. */
export function integers(length: number, limit: number): Int32Array {
  return Int32Array.from({ length }, () => Math.floor(Math.random() * limit));
}

/** What no kernel writes by chance. */
export function poisoned(length: number): Int32Array {
  return new Int32Array(length).fill(-0x5a5a5a5a);
}
