// A notebook whose cells a real checker judges, in a temporary folder with a package and files beside it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { TypeService, type Diagnostic } from "../../kernel/language/service.ts";

function folder(): string {
  // A space, an accent and a configuration of the user's own must not matter.
  const directory = join(realpathSync(mkdtempSync(join(tmpdir(), "warpcell-types-"))), "my nötebook");
  mkdirSync(join(directory, "node_modules/typed/"), { recursive: true });
  writeFileSync(
    join(directory, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { strict: false, noLib: true, types: [] } }),
  );
  writeFileSync(
    join(directory, "node_modules/typed/package.json"),
    JSON.stringify({ name: "typed", type: "module", exports: { types: "./types.d.ts", default: "./main.js" } }),
  );
  writeFileSync(
    join(directory, "node_modules/typed/types.d.ts"),
    "/** Pads. */ export declare function pad(text: string, width: number): string;\n",
  );
  writeFileSync(join(directory, "local.ts"), 'export { inner } from "./inner.ts";\nexport const local = 1;\n');
  writeFileSync(join(directory, "inner.ts"), "export const inner = 1;\n");
  return directory;
}

export class JudgedNotebook {
  readonly directory = folder();
  service!: TypeService;
  count = 0;

  /** A new checker; returns what stops it. */
  readonly start = (): (() => void) => {
    // What it answers is tested, not how soon: a machine that does something else may take longer than a user should
    // wait.
    this.service = new TypeService({ directory: this.directory, bound: 30_000 });
    this.service.start();
    this.count = 0;
    return () => this.service.stop();
  };

  readonly remove = (): void => rmSync(join(this.directory, ".."), { recursive: true, force: true });

  /** Checks and commits a cell. */
  async run(code: string): Promise<Diagnostic[]> {
    const found = await this.service.diagnose(++this.count, code);
    this.service.commit(this.count, code);
    return found;
  }

  async runAll(...cells: string[]): Promise<void> {
    for (const code of cells) expect(await this.run(code), code).toEqual([]);
  }

  /** What completes at the mark ‸. */
  async matches(marked: string): Promise<string[]> {
    return (await this.service.complete(...atMark(marked))).matches.map((match) => match.text);
  }
}

/** The code without the mark, and the place of the mark. */
export function atMark(marked: string): [string, number] {
  const offset = marked.indexOf("‸");
  return [marked.replace("‸", ""), offset];
}
