// The cells of a notebook as modules: each imports the newest declarations of the names it uses and exports its own.
import { declarationsOf, type CellDeclarations, type NamedDeclaration } from "./declarations.ts";
import { addedGlobals, addedProperties, type Setting } from "./doubts.ts";
import { asObjectLiteral } from "./syntax.ts";

/** A document for the checker; `name` is a file name without a folder. */
export interface Module {
  name: string;
  language: "typescript" | "javascript";
  text: string;
}

/**
 * A cell's code between the lines that connect it: line `firstLine` of `text` is the cell's first, columns are
 * unchanged.
 */
export interface Wrapped extends Module {
  firstLine: number;
}

interface Entry {
  module: string;
  declaration: NamedDeclaration;
}

interface Kept {
  text: Module;
  uses: Set<string>;
  /** Modules from here to the oldest it leads to, itself included. */
  depth: number;
  /** It changes what all cells see, not only what it declares. */
  global: boolean;
  /** It declares what a CUDA cell has. */
  device: boolean;
}

/**
 * Cells that are run again and again refer to their own past: beyond so many modules a variable's declared type must
 * do, …
 */
const afterDepth = 16;
/** … and beyond so many a name is of any type. */
const declarationDepth = 64;

/** File names of the documents that do not belong to a cell that ran. */
export const root = ".warpcell-cells.ts";
export const checked: Record<Module["language"], string> = {
  typescript: ".warpcell-check.ts",
  javascript: ".warpcell-plain.js",
};
export const edited = ".warpcell-edit.ts";
export const linked = ".warpcell-links.ts";
export const formatted = ".warpcell-format.ts";
export const drafted: Record<Module["language"], string> = {
  typescript: ".warpcell-draft.ts",
  javascript: ".warpcell-draft.js",
};

/** Says which cell a module is. */
export const cellModule = /\.warpcell-cell-(\d+)-\d+/;
const draftModule = /^\.warpcell-draft-\d+/;

/**
 * At the end of a module, the type that a variable has there: later cells see that it is no longer null or undefined.
 */
const afterPrefix = "$after_";

/** `declare global`, `declare module "…"`, and imports for their effect only. */
const augmentation = /\bdeclare\s+(?:global|module)\b|^\s*import\s*["']/m;

/** A word that may be a name. */
const word = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

export class CellsProgram {
  readonly #values = new Map<string, Entry>();
  readonly #types = new Map<string, Entry>();
  /** The module that last used a variable. */
  readonly #after = new Map<string, string>();
  readonly #modules = new Map<string, Kept>();
  readonly #added = new Set<string>();
  #isDraft = false;
  #lastModule = 0;

  /**
   * The same notebook, to which cells can be added as if they had run, one for each place: their modules are named by
   * it.
   */
  draft(): CellsProgram {
    const draft = new CellsProgram();
    for (const [name, entry] of this.#values) draft.#values.set(name, entry);
    for (const [name, entry] of this.#types) draft.#types.set(name, entry);
    for (const [name, module] of this.#after) draft.#after.set(name, module);
    for (const [name, module] of this.#modules) draft.#modules.set(name, module);
    for (const name of this.#added) draft.#added.add(name);
    draft.#isDraft = true;
    return draft;
  }

  /** Modules of the cells that were added to a draft. */
  draftModules(): Module[] {
    return [...this.#modules.values()].flatMap(({ text }) => (draftModule.test(text.name) ? [text] : []));
  }

  /** Modules that a module leads to, through others or at once. */
  behind(module: Module): Module[] {
    const wanted = modulesIn(module.text);
    const found: Module[] = [];
    // A set hands out what is added while it is walked.
    for (const name of wanted) {
      const kept = this.#modules.get(name);
      if (kept === undefined) continue;
      found.push(kept.text);
      for (const used of kept.uses) wanted.add(used);
    }
    return found;
  }

  /** Modules that a later cell may need, and the root that imports them all. */
  modules(): Module[] {
    const modules = [...this.#modules.values()].map((kept) => kept.text);
    return [
      ...modules,
      { name: root, language: "typescript", text: modules.map(({ name }) => `import "./${name}";\n`).join("") },
    ];
  }

  /** Whether a module declares what a CUDA cell has. */
  isOfDevice(module: string): boolean {
    return this.#modules.get(module)?.device ?? false;
  }

  /** The newest declaration of a name by a cell that ran. */
  declarationOf(name: string): NamedDeclaration | null {
    return (this.#values.get(name) ?? this.#types.get(name))?.declaration ?? null;
  }

  /** What the findings on a cell are judged by. */
  setting(code: string, plain: boolean): Setting {
    const own = declarationsOf(code)?.declarations ?? [];
    const declared = (name: string): NamedDeclaration | null =>
      own.find((declaration) => declaration.name === name) ?? this.declarationOf(name);
    return {
      text: code,
      plain,
      added: new Set([...this.#added, ...addedIn(code, plain)]),
      sourceOf: (name) => declared(name)?.source ?? null,
    };
  }

  /** Names that the cells that ran have declared. */
  names(): Set<string> {
    return new Set([...this.#values.keys(), ...this.#types.keys()]);
  }

  /** A cell to be checked; `null` when it does not parse. */
  forCheck(code: string, names = checked): Wrapped | null {
    const cell = declarationsOf(code);
    if (cell === null) return null;
    const language = cell.plain ? "javascript" : "typescript";
    return this.#wrap(names[language], language, code, cell, usedNames(code), []);
  }

  /** A cell that is being written. Names that start with `prefix` are there too, whether it uses them or not. */
  forEdit(code: string, prefix: string): Wrapped {
    const cell = declarationsOf(code) ?? { declarations: [], exported: new Set<string>(), plain: false, object: false };
    const used = usedNames(code);
    for (const name of this.names()) {
      if (name.toLowerCase().startsWith(prefix.toLowerCase())) used.add(name);
    }
    return this.#wrap(edited, "typescript", code, cell, used, []);
  }

  /** The cell ran: what it declares is what later cells see. */
  add(count: number, code: string): void {
    const cell = declarationsOf(code);
    if (cell === null) return;

    const used = usedNames(code);
    const variables = [...used].filter(
      (name) => this.#values.get(name)?.declaration.value === "variable" && mayNarrow(code, name),
    );
    const declared = cell.declarations.filter(({ value }) => value === "variable").map(({ name }) => name);
    const after = [...new Set([...variables, ...declared])];
    const language = cell.plain ? "javascript" : "typescript";
    const name = this.#nextName(count, language);
    const module = this.#wrap(name, language, code, cell, used, after);

    const uses = modulesIn(module.text);
    this.#modules.set(name, {
      text: module,
      uses,
      depth: 1 + Math.max(0, ...[...uses].map((other) => this.#depth(other))),
      global: augmentation.test(code),
      device: false,
    });
    this.#enter(name, cell.declarations);
    for (const variable of after) this.#after.set(variable, name);
    for (const property of addedIn(code, cell.plain)) this.#added.add(property);
    this.#forgetUnused();
  }

  /** Declarations that come from elsewhere than TypeScript text: the kernels of a CUDA cell. */
  declare(count: number, declarations: readonly { name: string; text: string }[]): void {
    const name = this.#nextName(count, "typescript");
    const texts = declarations.map(({ text }) => text.replace(/^\s*export\s+/, ""));
    const names = declarations.map((declaration) => declaration.name);
    const imports = ["Kernel", "Tensor"].filter((type) => !names.includes(type));
    const text = `import type { ${imports.join(", ")} } from "warpcell";\n${texts.join("\n")}\nexport { ${names.join(", ")} };\n`;

    const own =
      declarationsOf(texts.join("\n"))?.declarations.filter((declaration) => names.includes(declaration.name)) ?? [];
    this.#modules.set(name, {
      text: { name, language: "typescript", text },
      uses: new Set(),
      depth: 1,
      global: false,
      device: true,
    });
    this.#enter(name, own);
    this.#forgetUnused();
  }

  /** A draft has one for each place: when a cell has run, the documents of those that have not stay. */
  #nextName(count: number, language: Module["language"]): string {
    // An import of `name.js` would find `name.ts` beside it.
    if (this.#isDraft) return `.warpcell-draft-${count}${language === "typescript" ? ".ts" : "-plain.js"}`;
    return `.warpcell-cell-${count}-${++this.#lastModule}${language === "typescript" ? ".ts" : ".js"}`;
  }

  #enter(module: string, declarations: readonly NamedDeclaration[]): void {
    for (const declaration of declarations) {
      if (declaration.value !== null) {
        // A new value takes the place of a class with all that it stands for, but leaves an interface alone.
        if (this.#types.get(declaration.name)?.declaration.inseparable === true) this.#types.delete(declaration.name);
        this.#values.set(declaration.name, { module, declaration });
      }
      if (declaration.type && declaration.value === null) this.#separateValue(declaration.name);
      if (declaration.type) this.#types.set(declaration.name, { module, declaration });
      this.#after.delete(declaration.name);
    }
  }

  /** A new type takes the place of what a class is as a type; as a value the class stays. */
  #separateValue(name: string): void {
    const entry = this.#values.get(name);
    if (entry?.declaration.inseparable === true)
      this.#values.set(name, {
        ...entry,
        declaration: { ...entry.declaration, value: "variable", inseparable: false },
      });
  }

  #depth(module: string): number {
    return this.#modules.get(module)?.depth ?? 0;
  }

  /** Drops modules that neither a name nor a module in use leads to. */
  #forgetUnused(): void {
    const wanted = new Set<string>(this.#after.values());
    for (const [name, kept] of this.#modules) if (kept.global) wanted.add(name);
    for (const { module } of [...this.#values.values(), ...this.#types.values()]) wanted.add(module);
    for (const module of wanted) {
      // A set hands out what is added while it is walked.
      for (const used of this.#modules.get(module)?.uses ?? []) wanted.add(used);
    }
    for (const module of this.#modules.keys()) {
      if (!wanted.has(module)) this.#modules.delete(module);
    }
  }

  #wrap(
    name: string,
    language: Module["language"],
    code: string,
    cell: CellDeclarations,
    used: Set<string>,
    after: readonly string[],
  ): Wrapped {
    const own = new Set(cell.declarations.map((declaration) => declaration.name));
    const before = [...used]
      .filter((candidate) => !own.has(candidate))
      .flatMap((candidate) => this.#bring(candidate, language));
    const opening = cell.object ? ["("] : [];
    const closing = cell.object ? [")"] : [];
    const body = cell.object ? asObjectLiteral(code)!.slice(1, -2) : packagesByName(code);
    const exports = cell.declarations
      .filter((declaration) => !cell.exported.has(declaration.name))
      .map((declaration) => declaration.name);

    const head = [...before, ...opening].map((line) => `${line}\n`).join("");
    const tail = [
      ...closing,
      `export { ${exports.join(", ")} };`,
      ...after.map((variable) => `export const ${afterPrefix}${variable} = ${variable};`),
    ];
    return {
      name,
      language,
      text: `${head}${body}\n${tail.join("\n")}\n`,
      firstLine: head.split("\n").length - 1,
    };
  }

  /** The lines that give a module the newest declarations of a name. */
  #bring(name: string, language: Module["language"]): string[] {
    const value = this.#values.get(name);
    const type = this.#types.get(name);
    const newest = (value ?? type)?.module ?? "";
    if (this.#depth(newest) > declarationDepth)
      return language === "typescript"
        ? [`let ${name}: any; type ${name} = any;`]
        : [`/** @type {any} */ let ${name};`];
    const typeLines = type !== undefined && language === "typescript" ? bringType(name, type, value) : [];
    if (value === undefined) return typeLines;
    if (value.declaration.value !== "variable") return [`import { ${name} } from "./${value.module}";`, ...typeLines];

    // An imported binding cannot be assigned, a variable can; its first value tells the checker what is known of it by
    // now.
    const declared = `typeof import("./${value.module}").${name}`;
    const after = this.#after.get(name);
    const known =
      after === undefined || this.#depth(after) > afterDepth
        ? declared
        : `[typeof import("./${after}").${afterPrefix}${name}] extends [{}] ? NonNullable<${declared}> : ${declared}`;
    const keyword = value.declaration.assignable ? "let" : "const";
    if (language === "javascript")
      return [`/** @type {${declared}} */ ${keyword} ${name} = /** @type {${known}} */ (/** @type {any} */ (null));`];
    return [`${value.declaration.documentation}${keyword} ${name}: ${declared} = null! as (${known});`, ...typeLines];
  }
}

/** The lines that give a module a type, beside the value of the same name that it may have. */
function bringType(name: string, type: Entry, value: Entry | undefined): string[] {
  if (value?.declaration.inseparable === true) return [];
  const isGeneric = new RegExp(`\\b(?:type|interface)\\s+${name.replaceAll("$", "\\$")}\\s*<`).test(
    type.declaration.source,
  );
  // An import brings the value of that module too, which must not meet another one.
  if (value === undefined || (isGeneric && type.declaration.value === null))
    return [`import type { ${name} } from "./${type.module}";`];
  return isGeneric ? [] : [`type ${name} = import("./${type.module}").${name};`];
}

/** To the checker `npm:name@4` is `name`; spaces keep the columns. */
export function packagesByName(code: string): string {
  return code.replace(
    /(\b(?:from|import)\s*\(?\s*)(["'])npm:((?:@[^/@"']+\/)?[^/@"']+)(?:@[^/"']*)?((?:\/[^"']*)?)\2/g,
    (whole: string, before: string, quote: string, name: string, file: string) =>
      `${before}${quote}${name}${file}${quote}`.padEnd(whole.length),
  );
}

/** In TypeScript a property is declared; only the global object is given some past the checker. */
function addedIn(code: string, plain: boolean): string[] {
  return plain ? addedProperties(code) : addedGlobals(code);
}

export function usedNames(code: string): Set<string> {
  return new Set(code.match(word) ?? []);
}

/**
 * Whether the cell may leave a variable of earlier cells with a narrower type: it assigns it, or goes on only under a
 * condition.
 */
function mayNarrow(code: string, name: string): boolean {
  const escaped = name.replaceAll("$", "\\$");
  return (
    new RegExp(
      `(?<![\\p{ID_Continue}$.])${escaped}\\s*(?:\\?\\?|\\|\\|)?=(?![=>])|[\\[{,]\\s*${escaped}\\s*[\\]},]`,
      "u",
    ).test(code) || /\b(?:throw|assert\w*|exit)\b/.test(code)
  );
}

function modulesIn(text: string): Set<string> {
  return new Set([...text.matchAll(/"\.\/(\.warpcell-(?:cell|draft)-[^"]+)"/g)].map((match) => match[1]!));
}
