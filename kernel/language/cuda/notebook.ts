// The names of all `%%cuda` cells of a notebook as they are written: which declaration a word means, and where else it is
// meant.
import { builtinNamed, type Builtin } from "./builtins.ts";
import { readCuda, type CudaCell, type CudaName, type Word } from "./reading.ts";

/** What a word means: a name that a cell declares, or one of CUDA. */
export type Meaning = { cell: number; name: CudaName; builtin: null } | { cell: null; name: null; builtin: Builtin };

export interface Occurrence {
  readonly cell: number;
  readonly start: number;
  readonly end: number;
}

/** So many texts are remembered: a notebook's cells, and what they were a moment ago. */
const kept = 300;
const read = new Map<string, CudaCell>();

function reading(text: string): CudaCell {
  const known = read.get(text) ?? readCuda(text);
  read.delete(text);
  read.set(text, known);
  if (read.size > kept) read.delete(read.keys().next().value!);
  return known;
}

const isMember = (word: Word | undefined) => word?.text === "." || word?.text === "->";

export class CudaNotebook {
  readonly #cells = new Map<number, CudaCell>();

  /** The texts of `%%cuda` cells by their number, each with its magic line as spaces. */
  constructor(cells: ReadonlyMap<number, string>) {
    for (const [index, text] of cells) this.#cells.set(index, reading(text));
  }

  cell(index: number): CudaCell {
    return this.#cells.get(index)!;
  }

  /** The token that `offset` is in, or right behind; -1: none. */
  wordAt(cell: number, offset: number): number {
    const { words } = this.cell(cell);
    return words.findIndex(({ kind, start, end }) => kind === "word" && start <= offset && offset <= end);
  }

  /** Names that all cells see: those of `cell` first, then of the cells above from the nearest, then of those below. */
  *shared(cell: number): Generator<{ cell: number; name: CudaName }> {
    const above = [...this.#cells.keys()].filter((index) => index <= cell).sort((a, b) => b - a);
    const below = [...this.#cells.keys()].filter((index) => index > cell).sort((a, b) => a - b);
    for (const index of [...above, ...below])
      for (const name of this.cell(index).names) if (name.scope === null) yield { cell: index, name };
  }

  /** Names that are seen at `offset` alone: the innermost first. */
  locals(cell: number, offset: number): CudaName[] {
    return this.cell(cell)
      .names.filter(({ scope, start }) => scope !== null && seenAt(scope, start, offset))
      .sort((a, b) => b.start - a.start);
  }

  /** Names that the host's cells see: kernels, and variables of the device. */
  *exported(cell: number): Generator<CudaName> {
    for (const name of this.cell(cell).names)
      if (name.kind === "kernel" || (name.kind === "variable" && name.scope === null && isOfDevice(name))) yield name;
  }

  /** What the token `index` of a cell means. */
  meaningOf(cell: number, index: number): Meaning | null {
    const { words, names } = this.cell(cell);
    const word = words[index];
    if (word?.kind !== "word") return null;
    if (isMember(words[index - 1])) return this.#memberOf(cell, index);
    // A member where it is declared.
    for (const each of names) {
      const member = each.members.find(({ start, kind }) => start === word.start && kind !== "const");
      if (member !== undefined) return { cell, name: member, builtin: null };
    }
    return this.named(cell, word.text, word.start);
  }

  /** What `name` means at an offset, all overloads of a function being one. */
  named(cell: number, name: string, offset: number): Meaning | null {
    const own = this.locals(cell, offset).find((local) => local.name === name);
    if (own !== undefined) return { cell, name: own, builtin: null };
    let found: { cell: number; name: CudaName } | null = null;
    for (const each of this.shared(cell)) {
      if (each.name.name !== name) continue;
      // Of several in one cell, the one that stands here is meant, else the first with a body.
      if (found === null || (each.cell === found.cell && each.name.start === offset)) found = each;
      if (each.cell !== found.cell) break;
    }
    if (found !== null) return { ...found, builtin: null };
    const builtin = builtinNamed(name);
    return builtin === null ? null : { cell: null, name: null, builtin };
  }

  /** All that have the name of a shared one: overloads, and what other cells declare under it. */
  overloads(cell: number, name: string): CudaName[] {
    return [...this.shared(cell)].flatMap((each) => (each.name.name === name ? [each.name] : []));
  }

  #memberOf(cell: number, index: number): Meaning | null {
    const { words } = this.cell(cell);
    const name = words[index]!.text;
    const owner = this.typeBefore(cell, index - 2);
    for (const member of this.membersOf(cell, owner)) if (member.name === name) return meaningOfMember(member);
    if (owner !== null) return null;
    // Where the type is not known, a name that one struct alone has is meant.
    const having = [...this.shared(cell)].flatMap((each) =>
      each.name.kind === "struct"
        ? each.name.members
            .filter((member) => member.name === name)
            .map((member) => ({ cell: each.cell, name: member }))
        : [],
    );
    return having.length === 1 ? { ...having[0]!, builtin: null } : null;
  }

  /** What a value of this type has. */
  membersOf(cell: number, type: string | null): ({ cell: number; name: string; own: CudaName } | Builtin)[] {
    if (type === null) return [];
    const plain = plainType(type);
    for (const each of this.shared(cell)) {
      if (each.name.name !== plain) continue;
      if (each.name.kind === "struct" && each.name.members.length > 0)
        return each.name.members.map((own) => ({ cell: each.cell, name: own.name, own }));
      // `using Vector = float4;`, `typedef float4 Vector;`
      const alias =
        each.name.kind === "type" ? /(?:=\s*|typedef\s+)([\w:]+)/.exec(each.name.signature)?.[1] : undefined;
      if (alias !== undefined && alias !== plain) return this.membersOf(cell, alias);
    }
    return [...(builtinNamed(plain)?.members ?? [])];
  }

  /** The type of the expression that ends with the token `index`; `null`: it is not known. */
  typeBefore(cell: number, index: number, depth = 0): string | null {
    const { words } = this.cell(cell);
    const word = words[index];
    if (word === undefined || depth > 16) return null;
    if (word.text === "]") {
      const open = opening(words, index);
      return open < 1 ? null : this.typeBefore(cell, open - 1, depth + 1);
    }
    if (word.text === ")") {
      const open = opening(words, index);
      if (open < 0) return null;
      const callee = words[open - 1];
      if (callee?.text === ">") return this.#typeOfWord(cell, beforeAngles(words, open - 1), depth);
      return callee?.kind === "word"
        ? this.#typeOfWord(cell, open - 1, depth)
        : this.typeBefore(cell, index - 1, depth + 1);
    }
    return word.kind === "word" ? this.#typeOfWord(cell, index, depth) : null;
  }

  #typeOfWord(cell: number, index: number, depth: number): string | null {
    const { words } = this.cell(cell);
    const word = words[index];
    if (word?.kind !== "word") return null;
    if (isMember(words[index - 1])) {
      const owner = this.typeBefore(cell, index - 2, depth + 1);
      const member = this.membersOf(cell, owner).find(({ name }) => name === word.text);
      return member === undefined ? null : "own" in member ? member.own.type : member.type;
    }
    const meaning = this.named(cell, word.text, word.start);
    if (meaning === null) return null;
    if (meaning.builtin !== null) {
      const { kind, name, type } = meaning.builtin;
      return kind === "struct" ? name : type;
    }
    const { kind, name, type, value } = meaning.name;
    if (kind === "struct") return name;
    if (plainType(type) === "auto") return value === undefined ? null : this.typeBefore(cell, value, depth + 1);
    return type === "" ? null : type;
  }

  /** Whether a cell says that a namespace has another name. */
  isAlias(name: string, namespace: string): boolean {
    const alias = new RegExp(`\\bnamespace\\s+${name}\\s*=\\s*${namespace}\\b`);
    return [...this.#cells.values()].some(({ text }) => alias.test(text));
  }

  /** Every place where a name is meant. */
  occurrences(meaning: Meaning): Occurrence[] {
    if (meaning.name === null) return [];
    const { name, scope } = meaning.name;
    const found: Occurrence[] = [];
    for (const [cell, { words, inDirectives }] of [...this.#cells].sort(([a], [b]) => a - b)) {
      if (scope !== null && cell !== meaning.cell) continue;
      for (const [index, word] of words.entries()) {
        if (word.text !== name || word.kind !== "word") continue;
        const meant = this.meaningOf(cell, index);
        if (meant?.name != null && isSame(meaning, meant)) found.push({ cell, start: word.start, end: word.end });
      }
      if (scope === null && !isPartOfStruct(meaning.name))
        for (const word of inDirectives) if (word.text === name) found.push({ cell, start: word.start, end: word.end });
    }
    return found.sort((a, b) => a.cell - b.cell || a.start - b.start);
  }
}

const isPartOfStruct = ({ kind }: CudaName) => kind === "field" || kind === "method";

/** Shared names are one by their name; others are one declaration. */
function isSame(a: Meaning, b: Meaning): boolean {
  if (a.name === null || b.name === null) return false;
  if (a.name.scope === null && b.name.scope === null && !isPartOfStruct(a.name) && !isPartOfStruct(b.name))
    return a.name.name === b.name.name;
  return a.cell === b.cell && a.name.start === b.name.start;
}

function meaningOfMember(member: { cell: number; own: CudaName } | Builtin): Meaning {
  return "own" in member
    ? { cell: member.cell, name: member.own, builtin: null }
    : { cell: null, name: null, builtin: member };
}

function seenAt(scope: { start: number; end: number }, start: number, offset: number): boolean {
  return scope.start <= offset && offset <= scope.end && (start <= offset || scope.start < start);
}

/** What lies in the device's memory has a name for the host. */
function isOfDevice({ signature }: CudaName): boolean {
  return /__(?:constant|device|managed)__/.test(signature);
}

/** `const geo::Pair<int>* __restrict__` as Pair. */
export function plainType(type: string): string {
  return type
    .replace(/<.*/, "")
    .replace(/\b(?:const|volatile|struct|class|typename|__restrict__)\b|[*&\s]+$/g, " ")
    .trim()
    .split("::")
    .at(-1)!
    .replace(/[*&\s]+$/, "")
    .trim();
}

/** The index of the bracket that the one at `close` closes; -1: it is missing. */
export function opening(words: readonly Word[], close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    const { text, kind } = words[at]!;
    if (kind !== "mark") continue;
    if (text === ")" || text === "]" || text === "}") depth += 1;
    else if (text === "(" || text === "[" || text === "{") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** The token before `<…>` or `<<<…>>>`, whose last `>` is at `close`. */
export function beforeAngles(words: readonly Word[], close: number): number {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    const { text } = words[at]!;
    if (text === ">") depth += 1;
    else if (text === "<") depth -= 1;
    else if (text === ")" || text === "]") at = opening(words, at);
    else if (text === ";" || text === "{" || text === "}") return -1;
    if (at < 0) return -1;
    if (depth === 0) return at - 1;
  }
  return -1;
}
