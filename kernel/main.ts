#!/usr/bin/env node
// The command line: runs one command of the table, or the kernel of a connection file. The only file that reads
// argv.
import { existsSync } from "node:fs";
import { Problem } from "./supervisor/problem.ts";

interface Command {
  words: string;
  does: string;
  run(words: readonly string[]): Promise<number>;
}

// Each command is loaded when it is asked for, so that a kernel does not wait for the others.
const commands: Record<string, Command> = {
  install: {
    words: "[--prefix DIR | --user]",
    does: "write the kernelspec and the JupyterLab extension, so that Jupyter finds them",
    run: async (words) => (await import("./command-line/install.ts")).install(words),
  },
  run: {
    words: "NOTEBOOK",
    does: "run a notebook without Jupyter and print its output",
    run: async (words) => (await import("./command-line/run.ts")).run(words),
  },
  doctor: {
    words: "",
    does: "show devices, driver, libraries, compiler and cache, and how to get what is missing",
    run: async (words) => (await import("./command-line/doctor.ts")).doctor(words),
  },
  test: {
    words: "cpu | gpu",
    does: "run the device tests on exactly that device",
    run: async (words) => (await import("./command-line/test.ts")).test(words),
  },
  bench: {
    words: "",
    does: "measure launches, compiles and recoveries on each device, as JSON lines",
    run: async (words) => (await import("./command-line/bench.ts")).bench(words),
  },
  "--version": {
    words: "",
    does: "print the version",
    run: async () => print((await import("./supervisor/kernel-info.ts")).kernelVersion),
  },
  "--help": { words: "", does: "print this", run: async () => print(usage()) },
};

const usageOf = (name: string, { words, does }: Command): string =>
  `Usage: ${`warpcell ${name} ${words}`.trim()}\n\n  ${does}`;

function usage(): string {
  const rows = [
    ...Object.entries(commands).map(([name, { words, does }]) => [`${name} ${words}`.trim(), does] as const),
    ["CONNECTION_FILE", "be the kernel of a Jupyter client"] as const,
  ];
  return ["Usage: warpcell COMMAND", "", ...rows.map(([left, right]) => `  ${left.padEnd(32)}${right}`)].join("\n");
}

async function print(text: string): Promise<number> {
  process.stdout.write(`${text}\n`);
  return 0;
}

async function kernel(file: string): Promise<number> {
  const [{ readConnection, exposure }, { runKernel }] = await Promise.all([
    import("./supervisor/connection.ts"),
    import("./supervisor/run-kernel.ts"),
  ]);
  const connection = readConnection(file);
  const warning = exposure(file);
  if (warning !== null) process.stderr.write(`warpcell: ${warning}\n`);
  await runKernel(connection);
  return 0;
}

async function main([first, ...words]: readonly string[]): Promise<number> {
  if (first === undefined) throw new Problem("COMMAND_UNKNOWN", `Say which command.\n\n${usage()}`);
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (command !== undefined && words.includes("--help")) return print(usageOf(first, command));
  if (command !== undefined) return command.run(words);
  if (!existsSync(first) && !/[./]/.test(first))
    throw new Problem(
      "COMMAND_UNKNOWN",
      `There is no command "${first}". The commands are ${Object.keys(commands).join(", ")}, or a connection file; \`warpcell --help\` says what they do.`,
    );
  return kernel(first);
}

try {
  const status = await main(process.argv.slice(2));
  if (status !== 0) process.exitCode = status;
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`warpcell: ${error.message}\n`);
  process.exitCode = 1;
}
