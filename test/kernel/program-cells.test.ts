// `%%cuda` cells with main(), in a real session on the CPU: what a program prints is the cell's output, how it ends is
// how the cell ends, and the notebook goes on as it was.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { TestSession } from "../helpers/session.ts";

let session: TestSession;

beforeAll(async () => {
  session = await TestSession.start();
  await session.run('import { full } from "warpcell"; const x = full([3], 7)');
});

afterAll(() => session.end());

test("it prints below the cell, with its arguments, and its kernels are its own", async () => {
  const request = session.send(`%%cuda -- "two words" 3
#include <cstdio>
__global__ void inside(int k) { printf("device %d\\n", k); }
int main(int argc, char** argv) {
  printf("host %d %s\\n", argc, argv[1]);
  inside<<<1, 1>>>(42);
  cudaDeviceSynchronize();
  fprintf(stderr, "aside\\n");
}`);
  const { status, error } = await session.ended(request);
  expect({ status, error }).toEqual({ status: "ok", error: null });
  expect(session.printed(request, "stdout")).toBe("host 3 two words\ndevice 42\n");
  expect(session.printed(request, "stderr")).toBe("aside\n");
  expect((await session.run("typeof inside")).result).toBe("'undefined'");
  expect((await session.run("inside.launch({ grid: 1, block: 1 }, 42)")).error?.message).toMatch(
    /^inside is not defined: it is a kernel of the program in Cell \[\d+\], whose main\(\) launches it\. Take main\(\) away and run that cell again, and inside is a function here\.$/,
  );
});

test("a file with a main() runs, with headers beside it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-program-cell-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "size.h"), "#define SIZE 7\n");
  writeFileSync(
    join(folder, "program.cu"),
    '#include "size.h"\n#include <cstdio>\nint main(int, char** argv) { printf("%d %s\\n", SIZE, argv[1]); }\n',
  );
  const { stdout, error } = await session.run(`%%cuda ${join(folder, "program.cu")} -- five`);
  expect({ stdout, error }).toEqual({ stdout: "7 five\n", error: null });
});

test("its exit code, and what it ignored", async () => {
  const request = session.send("%%cuda\nint main() {\n  int x;\n  cudaFree(&x);\n  return 3;\n}");
  const { error } = await session.ended(request);
  expect(error).toMatchObject({ name: "ProgramError", message: "The program ended with exit code 3." });
  expect(session.printed(request, "stderr")).toBe(
    "cudaFree in line 4 failed: invalid argument (cudaErrorInvalidValue), and nobody looked at it.\n",
  );
});

test("a mistake has the cell's line", async () => {
  const { error } = await session.run("%%cuda\nint main() {\n  return missing;\n}");
  expect(error?.name).toBe("CompileError");
  expect((error?.traceback ?? []).join("\n").replace(/\u001b\[\d+m/g, "")).toMatch(
    /Cell \[\d+\]:3:10\n {2}2 \| int main\(\) \{\n> 3 \| {3}return missing;/,
  );
});

test("an interrupt ends it, and tensors are as they were", async () => {
  const request = session.send('%%cuda\n#include <cstdio>\nint main() { puts("begun"); for (;;) ; }');
  await session.until(() => (session.printed(request, "stdout") === "begun\n" ? true : undefined));
  session.agent({ type: "interrupt", request });
  const { error } = await session.ended(request);
  expect(error?.name).toBe("Interrupted");
  expect((await session.run("x.toArray()")).result).toBe("[ 7, 7, 7 ]");
});
