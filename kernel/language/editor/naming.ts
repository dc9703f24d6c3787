// Where a name is declared, where else it is meant, and what gives it another name: in cells of both languages, and in
// files beside the notebook.
import type { EditorChanges, EditorDefinition, EditorEdit, EditorPlace, EditorReferences } from "warpcell/payloads";
import { prefixAt } from "../complete.ts";
import { CudaNotebook, type Meaning } from "../cuda/notebook.ts";
import { parseSync } from "../parser.ts";
import type { Documents } from "./documents.ts";
import { Links, type Location, type Target } from "./links.ts";
import type { WrittenCell } from "./written-cells.ts";

interface Edit {
  readonly range: Location["range"];
  readonly newText: string;
}

/** A place of a cell, before it is shown. */
interface Spot {
  readonly cell: number;
  readonly start: number;
  readonly end: number;
}

export class Naming {
  readonly #cells: readonly WrittenCell[];
  readonly #cuda: CudaNotebook;
  readonly #links: Links;

  constructor(cells: readonly WrittenCell[], documents: Documents) {
    this.#cells = cells;
    this.#cuda = new CudaNotebook(
      new Map(
        [...cells.entries()].flatMap(([index, { language, code }]) => (language === "cuda" ? [[index, code]] : [])),
      ),
    );
    this.#links = new Links(cells, this.#cuda, documents);
  }

  /** Where what stands at `offset` of a cell is declared. `null`: nothing has a name there. */
  async definition(cell: number, offset: number): Promise<Omit<EditorDefinition, "hover"> | null> {
    if (this.#isDevice(cell)) {
      const meaning = this.#meaning(cell, offset);
      if (meaning === null) return null;
      return { places: meaning.name === null ? [] : [this.#place({ ...meaning.name, cell: meaning.cell })] };
    }
    const targets = await this.#links.seen(cell, "", async () => {
      const found = await this.#links.ask("textDocument/definition", cell, offset);
      return listOf(found).map((location) => this.#links.targetOf(location));
    });
    if (targets.length === 0) return null;
    return { places: targets.flatMap((target) => this.#placesOf(target, "declaration")) };
  }

  /** Where what stands at `offset` is meant, in the order of the notebook. */
  async references(cell: number, offset: number): Promise<EditorReferences | null> {
    if (this.#isDevice(cell)) {
      const meaning = this.#meaning(cell, offset);
      if (meaning?.name == null) return null;
      const places = this.#cuda.occurrences(meaning).map((spot) => this.#place(spot));
      const host = this.#isExported(meaning) ? await this.#ofHost(meaning.cell, meaning.name.name) : [];
      return { name: meaning.name.name, places: ordered([...places, ...host]) };
    }
    const targets = await this.#links.seen(cell, this.#wordAt(cell, offset), async () => {
      const found = await this.#links.ask("textDocument/references", cell, offset, {
        context: { includeDeclaration: true },
      });
      return listOf(found).map((location) => this.#links.targetOf(location));
    });
    const places = ordered(targets.flatMap((target) => this.#placesOf(target, "use")));
    const own =
      places.find((place) => place.cell === cell && place.start <= offset && offset <= place.end) ?? places[0];
    if (own === undefined) return null;
    const { text } = this.#cells[cell]!;
    return { name: own.cell === cell ? text.slice(own.start, own.end) : "", places };
  }

  /** Gives what stands at `offset` another name, in all cells. */
  async rename(cell: number, offset: number, to: string): Promise<EditorChanges> {
    if (!isName(to)) return refused(`${JSON.stringify(to)} is not a name: use letters, digits and _, and no keyword.`);
    return this.#isDevice(cell) ? this.#renameOfDevice(cell, offset, to) : this.#renameOfHost(cell, offset, to);
  }

  async #renameOfDevice(cell: number, offset: number, to: string): Promise<EditorChanges> {
    const meaning = this.#meaning(cell, offset);
    if (meaning === null) return refused(nothingThere);
    if (meaning.name === null) return refused(`${meaning.builtin.name} is a name of CUDA, which cannot be changed.`);
    if (to.includes("$")) return refused(`${to} is not a name in CUDA C++: use letters, digits and _.`);
    const taken = this.#cuda.named(cell, to, offset);
    if (taken !== null) return refused(`${to} is a name already. Choose another one.`);
    const spots = this.#cuda.occurrences(meaning);
    const edits = spots.map((spot) => ({ ...spot, text: to }));
    if (!this.#isExported(meaning)) return changes(edits);
    const { name } = meaning.name;
    const host = await this.#links.seen(meaning.cell, name, () => this.#renameShared(meaning.cell, name, to));
    return "refused" in host ? host : changes([...edits, ...host.edits]);
  }

  async #renameOfHost(cell: number, offset: number, to: string): Promise<EditorChanges> {
    return this.#links.seen(cell, this.#wordAt(cell, offset), async () => {
      const result = await this.#links.ask("textDocument/rename", cell, offset, { newName: to });
      const found = this.#editsIn(result);
      if (found.length === 0) return refused(nothingThere);
      const outside = found.find(({ target }) => target.kind === "file" || target.kind === "declaration");
      if (outside !== undefined)
        return refused(
          outside.target.kind === "file"
            ? `This is declared in ${this.#links.fileOf(outside.target.path, outside.target.range).file}, which the notebook does not change: rename it there.`
            : "This is declared outside of the notebook, and cannot be renamed here.",
        );
      const link = found.find(({ target }) => target.kind === "link" || target.kind === "device");
      const name = link === undefined ? null : (link.target as { name: string }).name;
      if (name === null) return changes(found.flatMap(editOf));
      const all = await this.#renameShared(
        this.#links.sourceOf((link!.target as { cell: number }).cell, name),
        name,
        to,
      );
      if ("refused" in all) return all;
      const device = this.#deviceSpots(name).map((spot) => ({ ...spot, text: to }));
      return changes([...found.flatMap(editOf), ...all.edits, ...device]);
    });
  }

  /** Edits of all host cells that have a name of the notebook from `source`. */
  async #renameShared(
    source: number,
    name: string,
    to: string,
  ): Promise<{ edits: (Spot & { text: string })[] } | EditorChanges> {
    if (this.#links.isDeclared(to)) return refused(`${to} is a name of the notebook already. Choose another one.`);
    const edits: (Spot & { text: string })[] = [];
    for (const cell of this.#links.sharing(source, name)) {
      if (this.#isDevice(cell)) continue;
      const result =
        cell === source
          ? await this.#renameDeclared(cell, name, to)
          : await this.#links.askLink("textDocument/rename", cell, name, { newName: to });
      edits.push(...this.#editsIn(result).flatMap(editOf));
    }
    return { edits };
  }

  /** In the cell that declares it: where it is given to others, only what they see would be renamed. */
  async #renameDeclared(cell: number, name: string, to: string): Promise<unknown> {
    const found = listOf(
      await this.#links.askLink("textDocument/references", cell, name, { context: { includeDeclaration: true } }),
    );
    for (const location of found) {
      const target = this.#links.targetOf(location);
      if (target.kind === "cell" && target.cell === cell)
        return this.#links.ask("textDocument/rename", cell, target.start, { newName: to });
    }
    return null;
  }

  #editsIn(result: unknown): { target: Target; text: string }[] {
    const given = (result as { changes?: Record<string, Edit[]> } | null)?.changes ?? {};
    return Object.entries(given).flatMap(([uri, edits]) =>
      edits.map(({ range, newText }) => ({ target: this.#links.targetOf({ uri, range }), text: newText })),
    );
  }

  /** Where host cells mean a name of a CUDA cell. */
  async #ofHost(cell: number, name: string): Promise<EditorPlace[]> {
    return this.#links.seen(cell, name, async () => {
      const found: EditorPlace[] = [];
      for (const other of this.#links.sharing(cell, name)) {
        if (this.#isDevice(other)) continue;
        const result = await this.#links.askLink("textDocument/references", other, name, {
          context: { includeDeclaration: true },
        });
        for (const location of listOf(result)) {
          const target = this.#links.targetOf(location);
          if (target.kind === "cell") found.push(this.#place(target));
        }
      }
      return found;
    });
  }

  #placesOf(target: Target, what: "declaration" | "use"): EditorPlace[] {
    if (target.kind === "cell") return [this.#place(target)];
    if (target.kind === "file") {
      const { text, ...place } = this.#links.fileOf(target.path, target.range);
      return [{ cell: null, ...place, ...lineAt(text, place.start) }];
    }
    if (target.kind !== "device") return [];
    if (what === "use") return this.#deviceSpots(target.name).map((spot) => this.#place(spot));
    const name = [...this.#cuda.exported(target.cell)].find((each) => each.name === target.name);
    return name === undefined ? [] : [this.#place({ ...name, cell: target.cell })];
  }

  #deviceSpots(name: string): Spot[] {
    for (const [cell, { language }] of this.#cells.entries()) {
      if (language !== "cuda") continue;
      const own = [...this.#cuda.exported(cell)].find((each) => each.name === name);
      if (own !== undefined) return this.#cuda.occurrences({ cell, name: own, builtin: null });
    }
    return [];
  }

  #place({ cell, start, end }: Spot): EditorPlace {
    return { cell, file: null, start, end, ...lineAt(this.#cells[cell]!.text, start) };
  }

  #wordAt(cell: number, offset: number): string {
    const { code } = this.#cells[cell]!;
    return prefixAt(code, offset) + /^[\p{ID_Continue}$\u200c\u200d]*/u.exec(code.slice(offset))![0];
  }

  #meaning(cell: number, offset: number): Meaning | null {
    const index = this.#cuda.wordAt(cell, offset);
    if (index >= 0) return this.#cuda.meaningOf(cell, index);
    const word = this.#cuda.cell(cell).inDirectives.find(({ start, end }) => start <= offset && offset <= end);
    const meaning = word === undefined ? null : this.#cuda.named(cell, word.text, word.start);
    return meaning?.name?.kind === "macro" ? meaning : null;
  }

  #isDevice(cell: number): boolean {
    return this.#cells[cell]!.language === "cuda";
  }

  #isExported(meaning: Meaning): meaning is Extract<Meaning, { builtin: null }> {
    return meaning.name !== null && [...this.#cuda.exported(meaning.cell)].includes(meaning.name);
  }
}

const nothingThere = "Nothing that has a name of its own stands here. Put the cursor into the name to change.";

function listOf(result: unknown): Location[] {
  return Array.isArray(result)
    ? (result as Location[])
    : result === null || result === undefined
      ? []
      : [result as Location];
}

function editOf({ target, text }: { target: Target; text: string }): (Spot & { text: string })[] {
  return target.kind === "cell" ? [{ cell: target.cell, start: target.start, end: target.end, text }] : [];
}

function lineAt(text: string, start: number): { line: number; text: string } {
  const line = text.slice(0, start).split("\n").length;
  return { line, text: text.split("\n")[line - 1]! };
}

/** Each place once, cells before files. */
function ordered(places: readonly EditorPlace[]): EditorPlace[] {
  const known = new Map(places.map((place) => [`${place.cell}:${place.file}:${place.start}`, place]));
  const rank = ({ cell }: EditorPlace) => cell ?? Infinity;
  return [...known.values()].sort(
    (a, b) =>
      (rank(a) === rank(b) ? 0 : rank(a) - rank(b)) || (a.file ?? "").localeCompare(b.file ?? "") || a.start - b.start,
  );
}

function changes(edits: readonly (Spot & { text: string })[]): EditorChanges {
  const cells = new Map<number, Map<number, EditorEdit>>();
  for (const { cell, start, end, text } of edits) {
    const known = cells.get(cell) ?? new Map<number, EditorEdit>();
    cells.set(cell, known.set(start, { start, end, text }));
  }
  return {
    cells: [...cells]
      .sort(([a], [b]) => a - b)
      .map(([cell, known]) => ({ cell, edits: [...known.values()].sort((a, b) => a.start - b.start) })),
    refused: null,
  };
}

export function refused(sentence: string): EditorChanges {
  return { cells: [], refused: sentence };
}

function isName(name: string): boolean {
  const isWord = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name);
  return isWord && parseSync("name.ts", `let ${name};`, { lang: "ts", sourceType: "module" }).errors.length === 0;
}
