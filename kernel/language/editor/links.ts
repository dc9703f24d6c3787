// All cells of a notebook, as they are written, as modules that import from each other by name: so the checker finds what a
// name means, and where else it is meant, in other cells and in files.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { linked, packagesByName, usedNames, type Module } from "../cells-program.ts";
import type { CudaNotebook } from "../cuda/notebook.ts";
import { declarationsOf } from "../declarations.ts";
import { lineStarts } from "../diagnostics.ts";
import { offsetsOf, placeOf, type Documents, type Range } from "./documents.ts";
import type { WrittenCell } from "./written-cells.ts";

export interface Location {
  readonly uri: string;
  readonly range: Range;
}

/** Where a location lies. */
export type Target =
  | { kind: "cell"; cell: number; start: number; end: number }
  /** The line that declares a name of a CUDA cell. */
  | { kind: "device"; cell: number; name: string }
  /** A line that connects modules by this name. */
  | { kind: "link"; cell: number; name: string }
  | { kind: "file"; path: string; range: Range }
  /** A declaration of the library, of Node, of a package. */
  | { kind: "declaration" };

interface Linked extends Module {
  cell: number;
  firstLine: number;
  code: string;
  /** Names in the lines before the code, and behind it, by line. */
  links: Map<number, string>;
  isDevice: boolean;
}

/** The keyword before a declaration; its module exports the name in a line of its own. */
const exporting =
  /^(\s*)export(?=\s+(?:declare|const|let|var|function|async|abstract|class|enum|interface|type\s+\w|namespace)\b)/gm;

const column = { import: "import { ".length, export: "export { ".length, device: "declare const ".length };

export class Links {
  readonly #documents: Documents;
  readonly #modules = new Map<number, Linked>();
  /** The cell that each cell has a name from. */
  readonly #sources = new Map<number, Map<string, number>>();

  constructor(cells: readonly WrittenCell[], cuda: CudaNotebook, documents: Documents) {
    this.#documents = documents;
    const declared = new Map<number, Set<string>>();
    for (const [index, { language, code }] of cells.entries())
      if (language !== "other")
        declared.set(
          index,
          language === "cuda"
            ? new Set([...cuda.exported(index)].map(({ name }) => name))
            : new Set(declarationsOf(code)?.declarations.map(({ name }) => name)),
        );
    for (const [index, own] of declared) {
      const { language, code } = cells[index]!;
      const sources = language === "cuda" ? new Map<string, number>() : sourcesOf(index, code, declared);
      this.#sources.set(index, sources);
      this.#modules.set(
        index,
        linkedModule(index, language === "cuda" ? "" : code, sources, [...own], language === "cuda"),
      );
    }
  }

  /** Has the checker see the modules, and after the answer no longer. */
  async seen<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    const modules = [...this.#modules.values()];
    const imports = modules.map(({ name }) => `import "./${name}";\n`).join("");
    // The root comes first: a module that nothing imports would belong to no project.
    this.#documents.show("links", [{ name: linked, language: "typescript", text: imports }, ...modules]);
    for (const { code } of modules) this.#documents.notice(code);
    try {
      return await answer();
    } finally {
      this.#documents.show("links", [{ name: linked, language: "typescript", text: "export {};\n" }]);
    }
  }

  /** Asks about a place in a cell. */
  ask(method: string, cell: number, offset: number, more: object = {}): Promise<unknown> {
    const module = this.#modules.get(cell)!;
    return this.#documents.request(method, { ...placeOf(this.#documents, module, module.code, offset), ...more });
  }

  /** Asks about a name where a module brings it, or gives it to others. */
  askLink(method: string, cell: number, name: string, more: object = {}): Promise<unknown> {
    const module = this.#modules.get(cell)!;
    const line = [...module.links].find(([, each]) => each === name)![0];
    const character = line < module.firstLine ? column.import : column.export;
    return this.#documents.request(method, {
      textDocument: { uri: this.#documents.uri(module.name) },
      position: { line, character },
      ...more,
    });
  }

  /** The cell that a cell's name is from: its own, or the one that it is imported from. */
  sourceOf(cell: number, name: string): number {
    return this.#sources.get(cell)?.get(name) ?? cell;
  }

  /** The cells that have a name from `source`, and `source`. */
  sharing(source: number, name: string): number[] {
    return [source, ...[...this.#sources].flatMap(([cell, sources]) => (sources.get(name) === source ? [cell] : []))];
  }

  /** The cell that declares a name of the notebook; `null`: none does. */
  declaring(name: string): number | null {
    for (const [cell, module] of this.#modules)
      if (!this.#sources.get(cell)!.has(name) && [...module.links.values()].includes(name)) return cell;
    return null;
  }

  /** What is at a location. */
  targetOf({ uri, range }: Location): Target {
    for (const module of this.#modules.values()) {
      if (uri !== this.#documents.uri(module.name)) continue;
      const { cell, code, links, isDevice } = module;
      const name = links.get(range.start.line);
      if (name !== undefined) return { kind: isDevice ? "device" : "link", cell, name };
      const place = offsetsOf(code, module, range);
      return place === null ? { kind: "declaration" } : { kind: "cell", cell, ...place };
    }
    const path = uri.startsWith("file:") ? fileURLToPath(uri) : "";
    const isLocal = path !== "" && !/\.d\.[cm]?ts$|\/node_modules\/|\/\.warpcell-/.test(path);
    return isLocal ? { kind: "file", path, range } : { kind: "declaration" };
  }

  /** Where a range of a file is, for an editor. */
  fileOf(path: string, { start, end }: Range): { file: string; start: number; end: number; text: string } {
    const text = readFileSync(path, "utf8");
    const starts = lineStarts(text);
    return {
      file: relative(this.#documents.directory, path),
      start: (starts[start.line] ?? 0) + start.character,
      end: (starts[end.line] ?? 0) + end.character,
      text,
    };
  }
}

/** The nearest cell above that declares each name which a cell uses and does not declare, else the nearest below. */
function sourcesOf(
  cell: number,
  code: string,
  declared: ReadonlyMap<number, ReadonlySet<string>>,
): Map<string, number> {
  const own = declared.get(cell)!;
  const order = [...declared.keys()].sort(
    (a, b) => (a < cell ? 0 : 1) - (b < cell ? 0 : 1) || Math.abs(a - cell) - Math.abs(b - cell),
  );
  const found = new Map<string, number>();
  for (const name of usedNames(code)) {
    if (own.has(name)) continue;
    const source = order.find((other) => declared.get(other)!.has(name));
    if (source !== undefined) found.set(name, source);
  }
  return found;
}

function linkedModule(
  cell: number,
  code: string,
  sources: ReadonlyMap<string, number>,
  declared: readonly string[],
  isDevice: boolean,
): Linked {
  const links = new Map<number, string>();
  const head = isDevice
    ? declared.map((name) => `declare const ${name}: any;`)
    : [...sources].map(([name, source]) => `import { ${name} } from "./${nameOf(source)}";`);
  for (const [line, name] of (isDevice ? declared : [...sources.keys()]).entries()) links.set(line, name);
  const body = packagesByName(code.replace(exporting, (found) => " ".repeat(found.length)));
  const lines = [...head, body];
  const behind = head.length + body.split("\n").length;
  for (const [line, name] of declared.entries()) {
    links.set(behind + line, name);
    lines.push(`export { ${name} };`);
  }
  return {
    cell,
    name: nameOf(cell),
    language: "typescript",
    text: `${lines.join("\n")}\nexport {};\n`,
    firstLine: head.length,
    code,
    links,
    isDevice,
  };
}

const nameOf = (cell: number) => `.warpcell-link-${cell}.ts`;
