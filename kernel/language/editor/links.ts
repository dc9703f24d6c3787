// All cells of a notebook, as they are written, as modules that import from each other by name: so the checker finds what a
// name means, and where else it is meant, in other cells and in files.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packagesByName, usedNames, type Module } from "../cells-program.ts";
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

/** What the cells that were read last declare, by their code. */
const read = new Map<string, ReadonlySet<string>>();
const kept = 300;

function namesOf(code: string): ReadonlySet<string> {
  const known = read.get(code) ?? new Set(declarationsOf(code)?.declarations.map(({ name }) => name));
  read.delete(code);
  read.set(code, known);
  if (read.size > kept) read.delete(read.keys().next().value!);
  return known;
}

export class Links {
  readonly #documents: Documents;
  readonly #cells: readonly WrittenCell[];
  /** What each cell declares. */
  readonly #declared = new Map<number, ReadonlySet<string>>();
  /** The cell that each cell has a name from. */
  readonly #sources = new Map<number, Map<string, number>>();
  /** Of the cells that the question is about. */
  readonly #modules = new Map<number, Linked>();

  constructor(cells: readonly WrittenCell[], cuda: CudaNotebook, documents: Documents) {
    this.#documents = documents;
    this.#cells = cells;
    for (const [index, { language, code }] of cells.entries())
      if (language !== "other")
        this.#declared.set(
          index,
          language === "cuda" ? new Set([...cuda.exported(index)].map(({ name }) => name)) : namesOf(code),
        );
    for (const index of this.#declared.keys()) {
      const { language, code } = cells[index]!;
      this.#sources.set(index, language === "cuda" ? new Map() : sourcesOf(index, code, this.#declared));
    }
  }

  /** Has the checker see a cell, those that have a word, and all that they use; after the answer no longer. */
  async seen<Answer>(cell: number, word: string, answer: () => Promise<Answer>): Promise<Answer> {
    const wanted = new Set([cell]);
    for (const [index, { language, code }] of this.#cells.entries())
      if (language === "typescript" && word !== "" && code.includes(word)) wanted.add(index);
    // A set hands out what is added while it is walked.
    for (const index of wanted) for (const source of this.#sources.get(index)?.values() ?? []) wanted.add(source);
    for (const index of wanted) {
      const isDevice = this.#cells[index]!.language === "cuda";
      const code = isDevice ? "" : this.#cells[index]!.code;
      const [sources, declared] = [this.#sources.get(index)!, [...this.#declared.get(index)!]];
      this.#modules.set(index, linkedModule(index, code, sources, declared, isDevice));
    }
    const modules = [...this.#modules.values()];
    for (const { code } of modules) this.#documents.notice(code);
    this.#documents.link(modules);
    try {
      return await answer();
    } finally {
      this.#modules.clear();
      this.#documents.link([]);
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

  /** The cells that have a name from `source`, and `source`, as far as the question is about them. */
  sharing(source: number, name: string): number[] {
    const others = [...this.#sources].flatMap(([cell, sources]) => (sources.get(name) === source ? [cell] : []));
    return [source, ...others].filter((cell) => this.#modules.has(cell));
  }

  /** Whether a cell declares a name of the notebook. */
  isDeclared(name: string): boolean {
    return [...this.#declared.values()].some((names) => names.has(name));
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
