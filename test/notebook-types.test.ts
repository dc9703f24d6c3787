// The cells of the notebooks as the type service sees them, in order: what teaches has no finding and needs no cast.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { withoutMagics } from "../kernel/language/complete-magic.ts";
import { TypeService } from "../kernel/language/service.ts";
import { cellsOf } from "./helpers/notebooks.ts";

const folder = fileURLToPath(new URL("../notebooks/", import.meta.url));
const notebooks = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ipynb"));

/** What a `%%cuda` cell declares for the cells that follow: kernels, and variables of the device. */
const declared = /__global__ void (\w+)\(|^__(?:constant|device|managed)__ [\w ]+ (\w+)(?:\[[^=;(]*)?(?:=[^;]*)?;/gm;

test.each(notebooks)("%s", async (name) => {
  const path = join(folder, name);
  const service = new TypeService({ directory: dirname(path), bound: 30_000 });
  service.start();
  onTestFinished(() => service.stop());
  const findings: string[] = [];
  for (const [cell, { kind, source }] of cellsOf(path).entries()) {
    if (kind !== "code") continue;
    if (source.startsWith("%%cuda")) {
      // Their types come from the compiler when the cell runs.
      const names = [...source.matchAll(declared)].map(([, kernel, variable]) => (kernel ?? variable)!);
      service.declare(
        cell,
        names.map((each) => ({ name: each, text: `declare const ${each}: any` })),
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
