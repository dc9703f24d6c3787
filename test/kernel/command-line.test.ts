// The command `warpcell` as a user types it: what it prints, what it writes, how it ends.
import { spawn } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { descendants, fakeSession, kernelScript, runs, startSilently, until } from "../helpers/kernel.ts";

async function warpcell(
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [kernelScript, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (part: string) => {
      text[name] += part;
    });
  return { status: await new Promise((resolve) => child.once("close", resolve)), ...text };
}

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "warpcell-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe("install", () => {
  test.each([
    [
      "--prefix DIR",
      (directory: string) => ({ words: ["--prefix", directory], env: {}, at: join(directory, "share", "jupyter") }),
    ],
    ["--user", (directory: string) => ({ words: ["--user"], env: { JUPYTER_DATA_DIR: directory }, at: directory })],
    [
      "nothing",
      (directory: string) => ({
        words: [],
        env: { JUPYTER_DATA_DIR: "", XDG_DATA_HOME: directory },
        at: join(directory, "jupyter"),
      }),
    ],
  ])("with %s writes a kernelspec with absolute paths and the JupyterLab extension, which everyone can read whatever the umask", async (_name, make) => {
    const { words, env, at } = make(temporary());
    const extension = join(at, "labextensions", "@warpcell", "jupyterlab");
    const before = process.umask(0o077);
    try {
      expect(await warpcell(["install", ...words], env)).toMatchObject({
        status: 0,
        stdout: `Installed the kernel "TypeScript + CUDA" in ${join(at, "kernels", "warpcell")}\nInstalled the JupyterLab extension in ${extension}\n`,
      });
    } finally {
      process.umask(before);
    }
    for (const entry of readdirSync(at, { recursive: true, withFileTypes: true })) {
      expect(statSync(join(entry.parentPath, entry.name)).mode & 0o777, entry.name).toBe(
        entry.isDirectory() ? 0o755 : 0o644,
      );
    }
    expect(JSON.parse(readFileSync(join(extension, "package.json"), "utf8"))).toMatchObject({
      name: "@warpcell/jupyterlab",
    });
    const file = join(at, "kernels", "warpcell", "kernel.json");
    const spec = JSON.parse(readFileSync(file, "utf8")) as { argv: string[] };
    expect(spec).toMatchObject({
      display_name: "TypeScript + CUDA",
      language: "typescript",
      interrupt_mode: "message",
      kernel_protocol_version: "5.5",
    });
    expect(spec.argv).toEqual([process.execPath, kernelScript, "{connection_file}"]);
  });

  test("that cannot write says where and what to do", async () => {
    const { status, stderr } = await warpcell(["install", "--prefix", "/dev/null/nothing"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^warpcell: The kernelspec cannot be written in \/dev\/null\/nothing\/.*: .* Choose a directory you can write to with --prefix DIR\.\n$/,
    );
  });

  test("with other words says which it takes", async () => {
    expect(await warpcell(["install", "--everywhere"])).toMatchObject({
      status: 1,
      stderr: 'warpcell: install takes --prefix DIR or --user but got "--everywhere".\n',
    });
  });
});

describe("run", () => {
  const notebook = (...cells: [source: string | string[], tags?: string[]][]): string => {
    const file = join(temporary(), "notebook.ipynb");
    writeFileSync(
      file,
      JSON.stringify({
        nbformat: 4,
        nbformat_minor: 5,
        metadata: {},
        cells: [
          { cell_type: "markdown", source: "# Title", metadata: {} },
          ...cells.map(([source, tags = []]) => ({ cell_type: "code", source, metadata: { tags }, outputs: [] })),
        ],
      }),
    );
    return file;
  };

  test("prints the output of each cell and ends with 0", async () => {
    const file = notebook(
      [["const x = 6;\n", "x * 7"]],
      ['console.log("printed"); console.error("to stderr")'],
      ["process.cwd()"],
    );
    const { status, stdout, stderr } = await warpcell(["run", file]);
    expect(stdout).toBe(
      `── cell 2: const x = 6;\n42\n── cell 3: console.log("printed"); console.error("to stderr")\nprinted\n── cell 4: process.cwd()\n'${join(file, "..")}'\n`,
    );
    expect(stderr).toBe("to stderr\n");
    expect(status).toBe(0);
  });

  test("names the cell that fails, stops there, and ends with 1", async () => {
    const { status, stdout, stderr } = await warpcell([
      "run",
      notebook(["1"], ['throw new RangeError("too far")'], ['console.log("never")']),
    ]);
    expect(stdout).toContain("RangeError: too far\n");
    expect(stdout).toContain("Cell [2]:1:7");
    expect(stdout).not.toContain("\x1b");
    expect(stdout).not.toContain("never");
    expect(stderr).toBe("Cell 3 failed: RangeError: too far\n");
    expect(status).toBe(1);
  });

  test("goes on after a cell that is meant to fail", async () => {
    expect(
      await warpcell(["run", notebook(["fail on purpose", ["raises-exception"]], ["done"])], fakeSession),
    ).toMatchObject({ status: 0, stdout: expect.stringContaining("done") });
  });

  test("works where the temporary directory's path is too long for a socket's", async () => {
    const directory = join(temporary(), "long".repeat(25));
    mkdirSync(directory);
    expect(await warpcell(["run", notebook(['"done"'])], { ...fakeSession, TMPDIR: directory })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("done"),
      stderr: "",
    });
  });

  /** A run in a process group of its own, whose temporary directory is looked into afterwards. */
  const running = (...cells: [source: string, tags?: string[]][]) => {
    const folder = temporary();
    const child = spawn(process.execPath, [kernelScript, "run", notebook(...cells)], {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      env: { ...process.env, ...fakeSession, TMPDIR: folder },
    });
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (part: string) => {
        text[name] += part;
      });
    const ended = new Promise<number | string>((resolve) =>
      child.once("close", (code, signal) => resolve(signal ?? code!)),
    );
    return {
      child,
      text,
      ended,
      left: () => readdirSync(folder),
      started: () => until(() => readdirSync(folder).some((name) => name.startsWith("warpcell-"))),
    };
  };

  test("that the user stops with Ctrl+C ends with 130 after the cell that was stopped, also where that one may fail", async () => {
    const { child, text, ended, left } = running(["first\nprint waits\nwait", ["raises-exception"]], ["print never"]);
    await until(() => text.stdout.includes("waits\n"));
    process.kill(-child.pid!, "SIGINT");
    expect(await ended).toBe(130);
    expect(text.stdout).toContain("Interrupted");
    expect(text.stdout).not.toContain("never");
    expect(left()).toEqual([]);
  });

  test("stopped while its kernel comes up ends with 130 and no word of ours", async () => {
    const { child, text, ended, left, started } = running(["print never"]);
    await started();
    process.kill(-child.pid!, "SIGINT");
    expect(await ended).toBe(130);
    expect(text.stderr).toBe("");
    expect(left()).toEqual([]);
  });

  test("stopped twice does not wait for the cell", async () => {
    const { child, text, ended, left } = running(["first\nprint spins\nspin"]);
    await until(() => text.stdout.includes("spins\n"));
    // As a user does; two of them at once may arrive as one.
    await until(() => !child.kill("SIGINT"));
    expect(await ended).toBe(130);
    expect(left()).toEqual([]);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ended by %s leaves nothing", async (signal, status) => {
    const { child, text, ended, left } = running(["first\nprint waits\nwait"]);
    await until(() => text.stdout.includes("waits\n"));
    child.kill(signal);
    expect(await ended).toBe(status);
    expect(left()).toEqual([]);
  });

  test("whose reader has gone ends without a word and leaves nothing", async () => {
    const { child, text, ended, left } = running(["print first"], ["print more\nwait"]);
    child.stdout.destroy();
    expect(await ended).toBe(141);
    expect(text.stderr).toBe("");
    expect(left()).toEqual([]);
  });

  test("that cannot write its output says so and leaves nothing", async () => {
    const folder = temporary(),
      full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [kernelScript, "run", notebook(["print much"])], {
      stdio: ["ignore", full, "pipe"],
      env: { ...process.env, ...fakeSession, TMPDIR: folder },
    });
    closeSync(full);
    let stderr = "";
    child.stderr!.setEncoding("utf8").on("data", (part: string) => {
      stderr += part;
    });
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
    expect(stderr).toMatch(
      /^warpcell: What the cells print cannot be written: ENOSPC.* Write it where there is room\.\n$/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["is missing", "nothing"],
    ["is no directory", "file"],
  ])("whose temporary directory %s says so", async (_name, name) => {
    const folder = temporary(),
      directory = join(folder, name);
    writeFileSync(join(folder, "file"), "");
    const { status, stderr } = await warpcell(["run", notebook(["never"])], { TMPDIR: directory });
    expect(stderr).toMatch(
      /^warpcell: The temporary directory .* cannot be written to: E.* Set TMPDIR to a directory with room that you can write to\.\n$/,
    );
    expect(stderr).toContain(directory);
    expect(status).toBe(1);
  });

  test("whose kernel dies before it is up says so", async () => {
    const { kernel, client } = await startSilently();
    const ready = client.ready();
    void kernel.ended.then((status) => client.close(`its process ended (${status})`));
    kernel.child.kill("SIGKILL");
    await expect(ready).rejects.toThrow("The kernel did not answer: its process ended (SIGKILL).");
  });

  const wrong: [name: string, text: string | null, sentence: RegExp][] = [
    ["is missing", null, /The notebook cannot be read: ENOENT/],
    ["is not JSON", "hello", / is not a notebook, which is JSON: /],
    ["is null", "null", / is not a notebook of format 4 with "cells": it has null without "nbformat"/],
    [
      "is an old notebook",
      '{"nbformat": 3, "worksheets": []}',
      / is not a notebook of format 4 with "cells": it has format 3/,
    ],
    [
      "has no cells",
      '{"nbformat": 4, "metadata": {}}',
      / is not a notebook of format 4 with "cells": it has nothing as its "cells"/,
    ],
    [
      "has a cell whose source is a number",
      '{"nbformat": 4, "cells": [{"cell_type": "code", "source": 5}]}',
      /The source of cell 1 of .* must be text, but is a number/,
    ],
  ];
  test.each(wrong)("of a file that %s says so in one sentence", async (_name, text, sentence) => {
    const file = join(temporary(), "wrong.ipynb");
    if (text !== null) writeFileSync(file, text);
    const { status, stderr } = await warpcell(["run", file]);
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(1);
  });

  test("of a file in another encoding says so, and of one with a byte order mark runs it", async () => {
    const file = notebook(['"done"']),
      text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("done", "d\u00f6ne"), "latin1");
    expect(await warpcell(["run", file])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `warpcell: ${file} is not a notebook (JSON in UTF-8): its bytes are not UTF-8. Save it with that encoding.\n`,
    });
    writeFileSync(file, `\uFEFF${text}`);
    expect(await warpcell(["run", file], fakeSession)).toMatchObject({
      status: 0,
      stdout: '── cell 2: "done"\n"done"\n',
    });
  });

  test("without a notebook, or with two, says so", async () => {
    expect((await warpcell(["run"])).stderr).toBe("warpcell: run takes one notebook but got nothing.\n");
    expect((await warpcell(["run", "a", "b"])).stderr).toBe('warpcell: run takes one notebook but got "a b".\n');
  });
});

describe("doctor", () => {
  test("names the CPU, its compiler, the cache, and why a GPU is not used or that it is", async () => {
    const { status, stdout } = await warpcell(["doctor"]);
    expect(stdout).toMatch(/^new tensors go to +(cpu|cuda:0)\. /m);
    expect(stdout).toMatch(/^cpu +.* cores, .* GiB$/m);
    expect(stdout).toMatch(/^ {2}kernels +the library's are compiled ahead for x86-64-v\d$/m);
    expect(stdout).toMatch(/^ {2}compiler +(clang\+\+|g\+\+) /m);
    expect(stdout).toMatch(/^cuda:0 +(cannot be used: (This machine has no|The) NVIDIA driver.*|NVIDIA )/m);
    expect(status).toBe(0);
  });

  test("says what multiplies matrices, and how to get a library that does", async () => {
    expect((await warpcell(["doctor"])).stdout).toMatch(
      /^ {2}OpenBLAS {10}(\d[\w.]*, \/.*blas.*\.so.* \(matrix products, factorisations\)$|OpenBLAS was not found in .*, and without it Warpcell's own kernels multiply matrices, which are slower\. Get it with: pip install )/m,
    );
    expect((await warpcell(["doctor"], { WARPCELL_OPENBLAS: "off" })).stdout).toMatch(
      /^ {2}OpenBLAS {10}OpenBLAS is switched off \(WARPCELL_OPENBLAS is "off"\), and without it Warpcell's own kernels multiply matrices, which are slower\.$/m,
    );
    expect((await warpcell(["doctor"], { WARPCELL_OPENBLAS: "/nowhere.so" })).stdout).toMatch(
      /^ {2}OpenBLAS {10}WARPCELL_OPENBLAS names \/nowhere\.so, /m,
    );
  });

  test("says when the cache cannot be written", async () => {
    expect((await warpcell(["doctor"], { XDG_CACHE_HOME: "/dev/null/nothing" })).stdout).toMatch(
      /^cache +\/dev\/null\/nothing\/warpcell: cannot be written .* Set XDG_CACHE_HOME to a directory of your own\.$/m,
    );
  });

  test("takes no words", async () => {
    expect(await warpcell(["doctor", "now"])).toMatchObject({
      status: 1,
      stderr: 'warpcell: doctor takes no arguments but got "now".\n',
    });
  });
});

describe("test and bench", () => {
  test.each([
    [["test"], "nothing"],
    [["test", "tpu"], '"tpu"'],
    [["test", "cpu", "twice"], '"twice"'],
  ])("%j is answered with the devices there are", async (words, got) => {
    expect(await warpcell(words)).toMatchObject({
      status: 1,
      stderr: `warpcell: test takes cpu or gpu but got ${got}.\n`,
    });
  });

  test("test gpu without a GPU fails with the reason and runs nothing", async () => {
    const { status, stdout, stderr } = await warpcell(["test", "gpu"], { CUDA_VISIBLE_DEVICES: "" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^warpcell: (This machine has no NVIDIA driver|The NVIDIA driver) .*\n$/);
    expect(stdout).toBe("");
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the tests with all that they started", async (signal, status) => {
    const child = spawn(process.execPath, [kernelScript, "test", "cpu"], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      stdout += part;
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await until(() => stdout.includes("RUN") && descendants(child.pid!).length > 1);
    const started = descendants(child.pid!);
    onTestFinished(async () => {
      for (const pid of started) if (await runs(pid)) process.kill(pid, "SIGKILL");
    });
    child.kill(signal);
    expect(await ended).toBe(status);
    await until(async () => !(await Promise.all(started.map(runs))).includes(true));
  });

  test("bench takes no words", async () => {
    expect(await warpcell(["bench", "now"])).toMatchObject({
      status: 1,
      stderr: 'warpcell: bench takes no arguments but got "now".\n',
    });
  });
});

describe("other words", () => {
  test("a command says what it takes with --help, and does nothing else", async () => {
    expect(await warpcell(["run", "--help"])).toEqual({
      status: 0,
      stdout: "Usage: warpcell run NOTEBOOK\n\n  run a notebook without Jupyter and print its output\n",
      stderr: "",
    });
    expect(await warpcell(["install", "--prefix", "/nowhere", "--help"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: warpcell install \[--prefix DIR \| --user\]\n/) as string,
    });
  });

  test("--help lists every command", async () => {
    const { status, stdout } = await warpcell(["--help"]);
    for (const word of ["install", "run NOTEBOOK", "doctor", "test cpu | gpu", "bench", "--version", "CONNECTION_FILE"])
      expect(stdout).toContain(word);
    expect(status).toBe(0);
  });

  test("--version prints the version", async () => {
    expect(await warpcell(["--version"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test("an unknown command, and none, are answered with what there is", async () => {
    expect(await warpcell(["frobnicate"])).toMatchObject({
      status: 1,
      stderr:
        'warpcell: There is no command "frobnicate". The commands are install, run, doctor, test, bench, --version, --help, or a connection file; `warpcell --help` says what they do.\n',
    });
    expect(await warpcell([])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^warpcell: Say which command\.\n\nUsage: warpcell COMMAND/),
    });
  });
});
