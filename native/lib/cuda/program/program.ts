// Runs a CUDA program with main(): compiles its two halves, starts it in a process of its own, and tells what it
// printed and how it ended.
import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { CompileError, InterruptedError, ProgramError } from "../../errors.ts";
import { deviceExecutable } from "../../wire/binding.ts";
import { deviceNamed } from "../../device/choice.ts";
import { worded } from "../../wording.ts";
import { checkForms, Compilation, type CompileOptions } from "../compilation.ts";
import { compileHost, programFolder } from "./host-code.ts";
import {
  failureSentence,
  isAlgorithm,
  kernelOf,
  type EndOfProgram,
  endSentence,
  type ProgramFailure,
} from "./report.ts";
import { withOwnHeaders } from "./own-headers.ts";
import { isProgram, programDefines, splitProgram } from "./split.ts";

/** How a program is compiled and run. */
export interface ProgramOptions
  extends Pick<CompileOptions, "name" | "device" | "std" | "arch" | "defines" | "includes" | "flags" | "fastMath"> {
  /** What `main` gets behind the program's name. */
  readonly args?: readonly string[];
  /** Called with what the program prints, as it comes; else the result has it. */
  readonly onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /** Ends the program when it is aborted. */
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface ProgramResult {
  /** What `main` returned, or `exit` was given. */
  readonly exitCode: number;
  /** What it printed, where no `onOutput` took it. */
  readonly stdout: string;
  readonly stderr: string;
  /** Calls of CUDA that failed, and whose result the program did not look at; each a sentence with its line. */
  readonly unchecked: readonly string[];
  /** It was compiled before. */
  readonly cached: boolean;
  /** To compile it, and to run it. */
  readonly compileMilliseconds: number;
  readonly runMilliseconds: number;
}

/**
 * Runs a CUDA program with `main()` in a process of its own, which cannot hurt this one or its tensors: its host code
 * is compiled by the system's C++ compiler, its kernels for the device. Standard input is empty. A program that
 * returns another exit code than 0 has run all the same. Throws CompileError with diagnostics, ProgramError for a
 * crash, InterruptedError when `signal` ends it, DeviceUnavailable.
 * @example
 * const { stdout, exitCode } = await runProgram(`
 *   #include <cstdio>
 *   __global__ void square(int* x) { x[threadIdx.x] *= x[threadIdx.x]; }
 *   int main() {
 *     int host[3] = {1, 2, 3}, *device;
 *     cudaMalloc(&device, sizeof host);
 *     cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
 *     square<<<1, 3>>>(device);
 *     cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
 *     printf("%d %d %d\\n", host[0], host[1], host[2]);
 *     cudaFree(device);
 *   }`);
 * [stdout, exitCode]; // → [ '1 4 9\n', 0 ]
 */
export async function runProgram(source: string, options: ProgramOptions = {}): Promise<ProgramResult> {
  const started = performance.now();
  checkForms(source, options);
  const args: unknown = options.args ?? [];
  if (!Array.isArray(args) || !args.every((each) => typeof each === "string"))
    throw new CompileError(`The option args must be an array of text, but got ${worded(args)}.`, "");
  const name = options.name ?? "program.cu";
  if (!isProgram(source))
    throw new CompileError(`${name} has no main(), so it is no program: compile(source) makes kernels of it.`, "");
  const device = deviceNamed(options.device);
  const whole = withOwnHeaders(source, name, options.includes ?? []);
  const split = splitProgram(whole);
  const host = await compileHost(split, source, name, options);
  refuseLocalTypes(host.expressions, name);
  const wanted = [...new Set(host.expressions)];
  // Types that a template is launched with may be in no device code.
  const used = wanted.flatMap((expression) => expression.slice(expression.indexOf("<")).match(/[A-Za-z_]\w*/g) ?? []);
  const deviceCode = used.length === 0 ? split.device : splitProgram(whole, true, used).device;
  const compiled =
    wanted.length === 0
      ? null
      : await new Compilation(
          deviceCode,
          {
            ...compileOptions(options),
            defines: [...(options.defines ?? []), ...programDefines(deviceCode)],
            name,
            device: device.name,
            isProgram: true,
            written: source,
          },
          device,
        ).obtainAsync(wanted);
  const compiledAfter = performance.now();
  if (options.signal?.aborted === true) throw interrupted(device.name);

  const lowered = host.expressions.map((expression) => compiled!.lowered[wanted.indexOf(expression)]!);
  const folder = programFolder({
    object: host.object,
    artifact: compiled?.artifact ?? "",
    symbols: host.symbols.join("\n"),
    lowered: lowered.join("\n"),
  });
  try {
    const { kind, index } = device;
    const child = spawn(
      deviceExecutable,
      ["program", "run", kind, String(index), folder, "program", ...(args as string[])],
      { stdio: ["ignore", "pipe", "pipe", "pipe"] },
    );
    const { end, stdout, stderr } = await ended(child, options, device.name);
    const crash = endSentence(end);
    if (crash !== null) throw new ProgramError(crash.code, crash.sentence, kernelOf(end) || null, end.line || null);
    return {
      exitCode: end.exitCode!,
      stdout,
      stderr,
      unchecked: end.failures.map((failure: ProgramFailure) => failureSentence(failure, end)),
      cached: host.cached && (compiled?.cached ?? true),
      compileMilliseconds: compiledAfter - started,
      runMilliseconds: performance.now() - compiledAfter,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What of the options is the compiler's. */
function compileOptions({ std, arch, defines, includes, flags, fastMath }: ProgramOptions): CompileOptions {
  const given = { std, arch, defines, includes, flags, fastMath };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A type inside of a function is known to one of the two compilers alone. */
export function refuseLocalTypes(expressions: readonly string[], name: string): void {
  const local = expressions.find((expression) => /[{$']|\bmain::|\)::/.test(expression));
  if (local === undefined) return;
  const given = isAlgorithm(local)
    ? "gives an algorithm of Thrust or CUB"
    : `launches ${local.slice(0, local.indexOf("<"))} with`;
  throw new CompileError(
    `${name} ${given} a lambda that has no __device__, or a type that is local to a function, which device code cannot have: write [=] __device__ (…) { … } for a lambda, and a type outside of functions.`,
    "",
  );
}

function interrupted(device: string): InterruptedError {
  return new InterruptedError("The program was ended by an interrupt.", device, undefined, undefined);
}

/** What the process prints and tells until it has ended. */
async function ended(
  child: ChildProcess,
  { onOutput, signal }: ProgramOptions,
  device: string,
): Promise<{ end: EndOfProgram; stdout: string; stderr: string }> {
  const printed = { stdout: "", stderr: "" };
  const take = (stream: "stdout" | "stderr") => (text: string) => {
    if (onOutput === undefined) printed[stream] += text;
    else if (text !== "") onOutput(text, stream);
  };
  let told = "";
  read(child.stdio[1] as Readable, take("stdout"));
  read(child.stdio[2] as Readable, take("stderr"));
  read(child.stdio[3] as Readable, (text) => {
    told += text;
  });
  const stop = (): void => {
    child.kill("SIGKILL");
  };
  signal?.addEventListener("abort", stop);
  try {
    await new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", () => resolve());
    });
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  if (signal?.aborted === true) throw interrupted(device);
  if (told === "")
    throw new ProgramError("PROGRAM_KILLED", "The process that ran the program was killed from outside.");
  return { end: JSON.parse(told) as EndOfProgram, ...printed };
}

function read(stream: Readable, take: (text: string) => void): void {
  const decoder = new StringDecoder("utf8");
  stream.on("data", (part: Buffer) => take(decoder.write(part)));
  stream.on("end", () => take(decoder.end()));
}
