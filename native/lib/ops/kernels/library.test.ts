// Of what was compiled ahead, a device takes what it runs, and only what has the library's own kernels.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runnableArchitectures } from "../../wire/architectures.ts";
import { compiledAhead, findPrebuilt, namesText, partFile, unitArtifact, unitParts } from "./library.ts";

const folder = `${mkdtempSync(join(tmpdir(), "warpcell-kernels-"))}/`;
afterAll(() => rmSync(folder, { recursive: true }));

const unit = { file: "sums", dtype: "float32", expressions: ["sum<float>", "mean<float>"] } as const;

function make(architecture: string, symbols: readonly string[]): void {
  mkdirSync(join(folder, architecture), { recursive: true });
  writeFileSync(`${unitArtifact(architecture, unit, folder)}.names`, namesText(unit, symbols));
}

const taken = (own: string) => findPrebuilt(runnableArchitectures(own), unit, folder);

test("the best of what a GPU runs is taken, and nothing that it does not run", () => {
  for (const architecture of ["sm_80", "sm_86", "sm_90a", "sm_100"]) make(architecture, ["_Z3sumf", "_Z4meanf"]);
  const answers = {
    sm_80: "sm_80",
    sm_86: "sm_86",
    sm_89: "sm_86",
    sm_90a: "sm_90a",
    sm_103a: "sm_100",
    sm_75: undefined,
    sm_87: undefined,
    sm_120a: undefined,
  };
  for (const [own, architecture] of Object.entries(answers))
    expect(taken(own)?.path, own).toBe(architecture && unitArtifact(architecture, unit, folder));
  const ahead = ["sm_89", "sm_90a", "sm_75", "sm_87"].map((own) => compiledAhead(runnableArchitectures(own), folder));
  expect(ahead).toEqual(["sm_86", "sm_90a", null, null]);
  expect(taken("sm_80")?.lowered).toEqual(["_Z3sumf", "_Z4meanf"]);
});

test("what was compiled with other kernels is passed over", () => {
  make("sm_86", ["_Z3sumf"]);
  expect(taken("sm_89")?.path).toBe(unitArtifact("sm_80", unit, folder));
});

test("what was compiled with other numbers than arrays are allocated by is refused", () => {
  const path = unitArtifact("sm_90", unit, folder);
  make("sm_90", ["_Z3sumf", "_Z4meanf"]);
  expect(taken("sm_90")?.path).toBe(path);
  writeFileSync(`${path}.names`, ["0123456789abcdef", "_Z3sumf", "_Z4meanf"].join("\n"));
  expect(() => taken("sm_90")).toThrow(
    `${path} was compiled with other numbers than the library uses. Build the library again: npm run build.`,
  );
});

test("a part of a unit is small", () => {
  const expressions = Array.from({ length: 70 }, (_, index) => `kernel<${index}>`);
  const parts = unitParts({ expressions });
  expect(parts.map(({ length }) => length)).toEqual([24, 24, 22]);
  expect(parts.flat()).toEqual(expressions);
  expect([0, 1].map((part) => partFile("sm_80/sums.float32", part))).toEqual([
    "sm_80/sums.float32",
    "sm_80/sums.float32.1",
  ]);
});
