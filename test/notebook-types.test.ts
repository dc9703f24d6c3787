// The cells of the notebooks as the type service sees them, in order: what teaches has no finding and needs no cast.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { withoutMagics } from "../kernel/language/complete-magic.ts";
import { TypeService } from "../kernel/language/service.ts";

const directory = fileURLToPath(new URL("../notebooks/", import.meta.url));

function cellsOf(name: string): string[] {
  const { cells } = JSON.parse(readFileSync(join(directory, name), "utf8")) as {
    cells: { cell_type: string; source: string | string[] }[];
  };
  return cells.flatMap(({ cell_type, source }) => (cell_type === "code" ? [[source].flat().join("")] : []));
}

test.each(readdirSync(directory).filter((name) => name.endsWith(".ipynb")))("%s", async (name) => {
  const service = new TypeService({ directory, bound: 30_000 });
  service.start();
  onTestFinished(() => service.stop());
  const findings: string[] = [];
  for (const [cell, source] of cellsOf(name).entries()) {
    if (source.startsWith("%%cuda")) {
      // Their types come from the compiler when the cell runs.
      const kernels = [...source.matchAll(/__global__ void (\w+)\(/g)].map((match) => match[1]!);
      service.declare(
        cell,
        kernels.map((kernel) => ({ name: kernel, text: `declare const ${kernel}: any` })),
      );
      continue;
    }
    const code = withoutMagics(source);
    for (const { line, code: number, message } of await service.diagnose(cell, code))
      findings.push(`${code.split("\n")[line - 1]}: ${number} ${message}`);
    service.commit(cell, code);
  }
  expect(findings).toEqual([]);
}, 180_000);
