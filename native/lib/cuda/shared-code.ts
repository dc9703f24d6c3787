// Device code that several sources share: keeps the declarations of each, and gives another source those that it needs.
import type { DeviceVariable } from "./variable.ts";
import { lastName, piecesOf, wordsIn, type Piece } from "./pieces.ts";
import { headerNeeded } from "./header-words.ts";
import { hostPart } from "./host/find.ts";
import { macrosOf, tokenize } from "./tokens.ts";

/** A source whose declarations later ones may use. */
export interface SharedSource {
  /** The same again replaces it. */
  readonly key: string;
  /** As messages call it: "Cell [3]". */
  readonly name: string;
  readonly source: string;
  /** Where its headers are found. */
  readonly folders: readonly string[];
}

/** Lines of a source that another one needs. */
interface Part {
  readonly from: SharedSource;
  readonly piece: Piece;
}

/** A part that uses what the source itself declares: it stands behind that, at an offset of the source. */
interface Late {
  readonly part: Part;
  readonly at: number;
}

/** What a source needs of others, to be compiled in front of it. */
export class Brought {
  readonly #parts: readonly Part[];
  readonly #late: readonly Late[];
  /** The sources that it is of. */
  readonly sources: readonly SharedSource[];
  /** The variables of the device in it, by their names with namespaces. */
  readonly variables: ReadonlyMap<string, DeviceVariable>;
  /** Those that the source declares itself, in the words that it has before. */
  readonly kept: ReadonlyMap<string, DeviceVariable>;

  constructor(
    parts: readonly Part[],
    late: readonly Late[],
    variables: ReadonlyMap<string, DeviceVariable>,
    kept: ReadonlyMap<string, DeviceVariable>,
  ) {
    this.#parts = parts;
    this.#late = late;
    this.kept = kept;
    this.sources = [...new Set([...parts, ...late.map(({ part }) => part)].map(({ from }) => from))];
    this.variables = variables;
  }

  get folders(): readonly string[] {
    return [...new Set(this.sources.flatMap(({ folders }) => folders))];
  }

  /** The lines, each under the name and number that `nameOf` its source says. */
  text(nameOf = ({ name }: SharedSource) => name): string {
    const all = [...this.#parts, ...this.#late.map(({ part }) => part)];
    return all.map(({ from, piece }) => shown(piece, nameOf(from))).join("");
  }

  /** The text with the source behind it, whose name is `name`. */
  before(source: string, name: string, nameOf = ({ name: own }: SharedSource) => own): string {
    if (this.#parts.length + this.#late.length === 0) return source;
    const lines = this.#parts.map(({ from, piece }) => shown(piece, nameOf(from)));
    let done = 0;
    for (const { part, at } of [...this.#late, { part: null, at: source.length }]) {
      const before = source.slice(0, done).split("\n");
      const indent = " ".repeat(before.at(-1)!.length);
      lines.push(`#line ${before.length} ${JSON.stringify(name)}\n${indent}${source.slice(done, at)}`);
      if (part !== null) lines.push("\n", shown(part.piece, nameOf(part.from)));
      done = at;
    }
    return lines.join("");
  }
}

export const nothingBrought = new Brought([], [], new Map(), new Map());

function shown({ text, line, column, around }: Piece, name: string): string {
  const open = around.map((each) => `${each} {\n`).join("");
  const close = around.map(() => "}\n").join("");
  return `${open}#line ${line} ${JSON.stringify(name)}\n${" ".repeat(column - 1)}${text}\n${close}`;
}

/** A declaration that was new, and the kernels that were compiled with the one before. */
export interface Outdated {
  readonly kernel: string;
  /** The source that the kernel is of. */
  readonly source: string;
  readonly names: readonly string[];
}

export interface Taken {
  /** What the source declares besides kernels, as a reader knows it. */
  readonly declared: readonly string[];
  readonly outdated: readonly Outdated[];
}

interface Held extends SharedSource {
  readonly pieces: readonly Piece[];
  readonly variables: ReadonlyMap<string, DeviceVariable>;
  /** What each of its kernels uses of others: names, and their texts then. */
  readonly kernels: readonly { readonly name: string; readonly uses: ReadonlyMap<string, string> }[];
  /** Counts up. */
  readonly taken: number;
}

type Owners = Map<string, { readonly held: Held; readonly defines: boolean }>;

export class SharedCode {
  readonly #held = new Map<string, Held>();
  /** Of all names, without one source; worked out again when something was taken. */
  readonly #owners = new Map<string, Owners>();
  #count = 0;

  /** What is shared, as plain data: {@link of} makes the same of it on another thread. */
  get sources(): SharedSource[] {
    return this.#inOrder()
      .filter(({ pieces }) => pieces.some(isShared))
      .map(({ key, name, source, folders }) => ({ key, name, source, folders }));
  }

  copy(): SharedCode {
    const copy = new SharedCode();
    for (const [key, held] of this.#held) copy.#held.set(key, held);
    copy.#count = this.#count;
    return copy;
  }

  static of(sources: readonly SharedSource[]): SharedCode {
    const code = new SharedCode();
    for (const source of sources) code.take(source);
    return code;
  }

  /**
   * What `source` needs of the others, in an order in which it compiles: those declarations whose names it uses, and
   * what these use. `key`: its own, whose earlier text counts for nothing.
   */
  before(source: string, key: string, defines: readonly string[] = []): Brought {
    const pieces = piecesOf(source, macrosOf(defines));
    const needed = this.#needed(wordsOf(source, pieces), definedIn(pieces), key, shadowsIn(source));
    const parts = new Order(needed).parts();
    const variables = new Map(
      parts.flatMap(({ from, piece }) =>
        piece.names.flatMap((name) => {
          const variable = this.#held.get(from.key)?.variables.get(name);
          return variable === undefined ? [] : [[name, variable] as const];
        }),
      ),
    );
    const late = this.#late(parts, pieces, key);
    const early = parts.filter((part) => !late.some((each) => each.part === part));
    return new Brought(early, late, variables, this.#kept(pieces, key));
  }

  /** The parts that use a name which was shared, and which the source declares anew; in the order of their places. */
  #late(parts: readonly Part[], pieces: readonly Piece[], key: string): Late[] {
    const places = new Map<string, number>();
    for (const { names, end } of pieces.filter((piece) => isShared(piece) && piece.isDefinition))
      for (const name of names)
        if (this.#ownerOf(name, key) !== undefined)
          places.set(lastName(name), Math.max(end, places.get(lastName(name)) ?? 0));
    const late: Late[] = [];
    for (const part of parts) {
      const at = Math.max(-1, ...[...part.piece.words].map((word) => places.get(word) ?? -1));
      if (at < 0) continue;
      late.push({ part, at });
      for (const name of part.piece.names) places.set(lastName(name), at);
    }
    return late.sort((a, b) => a.at - b.at);
  }

  /** The variables of a source that `pieces` declare again in the same words. */
  #kept(pieces: readonly Piece[], key: string): Map<string, DeviceVariable> {
    const held = this.#held.get(key);
    const isSame = (a: Piece, b: Piece) => a.names.join() === b.names.join() && normal(a.text) === normal(b.text);
    return new Map(
      [...(held?.variables ?? [])].filter(([name]) =>
        pieces.some((piece) => piece.names.includes(name) && held!.pieces.some((other) => isSame(piece, other))),
      ),
    );
  }

  /**
   * Notes the declarations of a source that compiles, in the place of what it declared before. `globals`: its
   * variables.
   */
  take(source: SharedSource, globals: readonly DeviceVariable[] = []): Taken {
    const variables = new Map(globals.map((variable) => [variable.name, variable]));
    const pieces = piecesOf(hostPart(source.source)?.split.device ?? source.source);
    const names = new Set(
      [...pieces, ...(this.#held.get(source.key)?.pieces ?? [])].filter(isShared).flatMap((piece) => piece.names),
    );
    const before = new Map([...names].map((name) => [name, this.#textOf(name)]));
    const kernels = this.#usesOfKernels(source.key, pieces);
    this.#held.set(source.key, { ...source, pieces, variables, kernels, taken: ++this.#count });
    this.#owners.clear();
    const changed = new Set(
      [...names].filter((name) => before.get(name) !== "" && before.get(name) !== this.#textOf(name)),
    );
    this.#forget();
    const labels = pieces.filter((piece) => isShared(piece) && piece.label !== "").map(({ label }) => label);
    return { declared: [...new Set(labels)], outdated: this.#outdatedBy(changed, source.key) };
  }

  /** Sources in the order in which they were first taken. */
  #inOrder(): Held[] {
    return [...this.#held.values()];
  }

  /** Drops what nobody can use any more: a console has a new key for each of its cells. */
  #forget(): void {
    const latest = new Map<string, Held>();
    for (const held of this.#held.values())
      for (const { name } of held.kernels) if ((latest.get(name)?.taken ?? 0) < held.taken) latest.set(name, held);
    for (const [key, held] of this.#held) {
      const isUsed =
        held.kernels.some(({ name }) => latest.get(name) === held) ||
        held.pieces.some((piece) => isShared(piece) && (piece.names.length === 0 || this.#isVisible(piece, held, "")));
      if (!isUsed) this.#held.delete(key);
    }
    this.#owners.clear();
  }

  #usesOfKernels(key: string, pieces: readonly Piece[]): Held["kernels"] {
    const own = definedIn(pieces);
    return pieces
      .filter(({ kind, isDefinition }) => kind === "kernel" && isDefinition)
      .map((kernel) => {
        const words = closure(kernel.words, pieces);
        const used = [...this.#needed(words, own, key, new Set())].flatMap(({ piece }) => piece.names);
        return { name: kernel.names[0]!, uses: new Map(used.map((name) => [name, this.#textOf(name)])) };
      });
  }

  #outdatedBy(changed: ReadonlySet<string>, by: string): Outdated[] {
    return this.#inOrder()
      .filter(({ key }) => key !== by)
      .flatMap(({ name: source, kernels }) =>
        kernels.flatMap(({ name, uses }) => {
          const names = [...uses].flatMap(([used, text]) =>
            changed.has(used) && text !== this.#textOf(used) ? [used] : [],
          );
          return names.length === 0 ? [] : [{ kernel: name, source, names }];
        }),
      );
  }

  /** The source that a name is of: the last one that defines it, or declares it where none does. */
  #ownerOf(name: string, except = ""): Held | undefined {
    let owners = this.#owners.get(except);
    if (owners === undefined) this.#owners.set(except, (owners = this.#ownersBut(except)));
    return owners.get(name)?.held;
  }

  #ownersBut(except: string): Owners {
    const owners: Owners = new Map();
    for (const held of this.#held.values()) {
      if (held.key === except) continue;
      const own = new Map<string, boolean>();
      for (const piece of held.pieces.filter(isShared))
        for (const name of piece.names) own.set(name, piece.isDefinition || own.get(name) === true);
      for (const [name, defines] of own) {
        const known = owners.get(name);
        const isNewer = known === undefined || (known.defines === defines ? known.held.taken < held.taken : defines);
        if (isNewer) owners.set(name, { held, defines });
      }
    }
    return owners;
  }

  /** All that is said of a name, without regard to spaces and comments; "" for nothing. */
  #textOf(name: string): string {
    const pieces = this.#ownerOf(name)?.pieces ?? [];
    return pieces
      .filter((piece) => isShared(piece) && piece.names.includes(name))
      .map(({ text }) => normal(text))
      .join("\n");
  }

  /** The pieces that declare one of the words, and what these use. */
  #needed(
    words: ReadonlySet<string>,
    own: ReadonlySet<string>,
    key: string,
    shadowed: ReadonlySet<string>,
  ): ReadonlySet<Part> {
    const visible = this.#inOrder()
      .filter((held) => held.key !== key)
      .flatMap((from) =>
        from.pieces
          .filter((piece) => isShared(piece) && (piece.names.length === 0 || this.#isVisible(piece, from, key)))
          .map((piece): Part => ({ from, piece })),
      );
    const known = new Set(words);
    const needed = new Set<Part>();
    const spaces = new Set(visible.map(({ piece }) => piece.prefix));
    const named = new Map<string, Part[]>();
    const others = visible.filter(({ piece }) => piece.kind === "include" || piece.kind === "using");
    for (const part of visible)
      for (const word of triggersOf(part.piece)) named.set(word, [...(named.get(word) ?? []), part]);
    const add = (part: Part): void => {
      needed.add(part);
      for (const word of part.piece.words) known.add(word);
    };
    for (let size = -1; size !== needed.size; ) {
      size = needed.size;
      // A set is walked to what is added on the way.
      for (const word of known)
        for (const part of named.get(word) ?? []) {
          const { names, text } = part.piece;
          const isShadowed = text.startsWith("#") && shadowed.has(names[0] ?? "");
          if (!needed.has(part) && !isShadowed && !names.some((name) => own.has(name))) add(part);
        }
      for (const part of others) if (!needed.has(part) && isUsed(part, known, needed, spaces)) add(part);
    }
    return new Set(visible.filter((part) => needed.has(part)));
  }

  #isVisible(piece: Piece, from: Held, except: string): boolean {
    return piece.names.some((name) => this.#ownerOf(name, except) === from);
  }
}

function isShared({ kind }: Piece): boolean {
  return kind !== "kernel";
}

const normals = new Map<string, string>();

function normal(text: string): string {
  let known = normals.get(text);
  if (known === undefined) normals.set(text, (known = normalized(text)));
  if (normals.size > 10000) normals.clear();
  return known;
}

function normalized(text: string): string {
  const { tokens, directives } = tokenize(text);
  return [...directives.map(({ name, rest }) => `#${name} ${rest}`), ...tokens.map((token) => token.text)].join(" ");
}

/** Names that a source defines itself. */
function definedIn(pieces: readonly Piece[]): Set<string> {
  return new Set(
    pieces.flatMap((piece) =>
      isShared(piece) && piece.isDefinition && piece.extends.length === 0 ? [...piece.names] : [],
    ),
  );
}

/** The words of a source, those of its preprocessor lines too. */
function wordsOf(source: string, pieces: readonly Piece[]): Set<string> {
  const { tokens, directives } = tokenize(source);
  return new Set([
    ...tokens.flatMap(({ kind, text }) => (kind === "word" ? [text] : [])),
    ...directives.filter(({ name }) => name !== "include").flatMap(({ rest }) => wordsIn(rest)),
    ...pieces.flatMap(({ words }) => [...words]),
  ]);
}

/** `words`, and all that the pieces which they name use. */
function closure(words: ReadonlySet<string>, pieces: readonly Piece[]): Set<string> {
  const known = new Set(words);
  for (let size = -1; size !== known.size; ) {
    size = known.size;
    for (const piece of pieces)
      if ([...piece.names, ...piece.extends].some((name) => known.has(lastName(name))))
        for (const word of piece.words) known.add(word);
  }
  return known;
}

const notTypes = new Set("return else case do goto throw new delete sizeof typename co_return and or not".split(" "));

/** Words that a source gives to its own parameters and variables: no macro of that name may reach them. */
function shadowsIn(source: string): Set<string> {
  const { tokens } = tokenize(source);
  const found = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    if (token.kind === "word" && before?.kind === "word" && !notTypes.has(before.text)) found.add(token.text);
    const isPointer = before?.text === "*" || before?.text === "&";
    if (
      token.kind === "word" &&
      isPointer &&
      tokens[at - 2]?.kind === "word" &&
      /[,);=]/.test(tokens[at + 1]?.text ?? "")
    )
      if (/^(float|double|int|unsigned|char|short|long|half|bool|void|T)$/.test(tokens[at - 2]!.text))
        found.add(token.text);
  }
  return found;
}

/** Whether somebody who uses the words needs that part, which has no name. */
function isUsed(
  { from, piece }: Part,
  words: ReadonlySet<string>,
  needed: ReadonlySet<Part>,
  spaces: ReadonlySet<string>,
): boolean {
  if (piece.kind === "include") return headerNeeded(from.folders, piece.text, words);
  const [space = ""] = piece.extends;
  const isBrought = [...needed].some(
    ({ from: source, piece: other }) =>
      other.prefix.startsWith(`${space}::`) ||
      (source === from && (other.start > piece.start || (other.kind === "include" && !spaces.has(`${space}::`)))),
  );
  return isBrought || words.has(wordsIn(space)[0] ?? "");
}

/** Words that bring a declaration in. */
function triggersOf({ kind, names, extends: base }: Piece): string[] {
  if (kind === "include" || kind === "using") return [];
  return [...new Set((base.length > 0 ? base : names).map(lastName))];
}

/** Parts so that each stands behind what it uses; those of one source in its own order, which is known to compile. */
class Order {
  readonly #needed: readonly Part[];
  readonly #seen = new Set<Part>();
  readonly #parts: Part[] = [];

  constructor(needed: ReadonlySet<Part>) {
    this.#needed = [...needed];
  }

  parts(): Part[] {
    for (const part of this.#needed) if (part.piece.kind === "include") this.#add(part);
    for (const part of this.#needed) this.#visit(part);
    return this.#parts;
  }

  #add(part: Part): void {
    if (this.#seen.has(part)) return;
    this.#seen.add(part);
    this.#parts.push(part);
  }

  #visit(part: Part): void {
    if (this.#seen.has(part)) return;
    this.#seen.add(part);
    const { from, piece } = part;
    for (const other of this.#needed) {
      const isEarlier = other.from === from && other.piece.start < piece.start;
      const isUsed = other.piece.names.some((name) => piece.words.has(lastName(name)));
      const isBase = piece.extends.some((name) => other.piece.names.includes(name));
      const isOpened = other.piece.kind === "using" && isEarlier;
      if (isOpened || ((isUsed || isBase) && (isEarlier || other.from !== from))) this.#visit(other);
    }
    this.#parts.push(part);
  }
}

/** "twice is new: kernels fill and scale (Cell [2]) still have the old one. Run that cell again."; "" for none. */
export function outdatedText(outdated: readonly Outdated[]): string {
  if (outdated.length === 0) return "";
  const names = [...new Set(outdated.flatMap((each) => each.names))];
  const cells = [...new Set(outdated.map(({ source }) => source))];
  const kernels = cells.map((cell) => {
    const own = outdated.filter(({ source }) => source === cell).map(({ kernel }) => kernel);
    return `${enumerated(own)} (${cell})`;
  });
  const one = outdated.length === 1;
  return `${enumerated(names)} ${names.length === 1 ? "is" : "are"} new: ${one ? "kernel" : "kernels"} ${enumerated(kernels)} still ${one ? "has" : "have"} the old ${names.length === 1 ? "one" : "ones"}. Run ${cells.length === 1 ? "that cell" : "those cells"} again.`;
}

function enumerated(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
