// Python, typed into a TypeScript cell, and what to write instead.
import type { Spelling } from "./cuda-spelling.ts";

const word = String.raw`[\p{ID_Start}_][\p{ID_Continue}]*`;
const operand = String.raw`[\p{ID_Start}_][\p{ID_Continue}.]*(?:\([^()]*\))?`;
const pattern = (text: string) => new RegExp(text, "u");

/** What a line that does not parse looks like, and what it is in TypeScript. */
const lines: readonly [RegExp, (...groups: string[]) => string][] = [
  [
    pattern(String.raw`^\s*(?:import|from)\s+([a-z_][\w.]*)(?:\s+(?:as|import)\s+[^"']*)?$`),
    () => 'import { tensor, zeros } from "warpcell", or import * as wc from "warpcell"',
  ],
  [pattern(String.raw`^\s*#\s`), () => "// begins a comment"],
  [
    pattern(String.raw`^\s*def\s+(${word})\s*\(([^)]*)\)`),
    (name, parameters) => `function ${name}(${withoutSelf(parameters!)}) { … }`,
  ],
  [
    pattern(String.raw`^\s*class\s+(${word})\s*(?:\(\s*([\w.]*)\s*\))?\s*:`),
    (name, base) => `class ${name}${base ? ` extends ${base}` : ""} { … }`,
  ],
  [
    pattern(String.raw`^\s*for\s+(${word})\s+in\s+range\(([^,()]+)\)\s*:`),
    (name, count) => `for (let ${name} = 0; ${name} < ${count}; ${name}++) { … }`,
  ],
  [
    pattern(String.raw`^\s*for\s+([^()]+?)\s+in\s+(.+?)\s*:\s*$`),
    (name, list) => `for (const ${/,/.test(name!) ? `[${name}]` : name} of ${list}) { … }`,
  ],
  [pattern(String.raw`^\s*with\s+torch\.no_grad\(\)\s*:`), () => "noGrad(() => { … })"],
  [
    pattern(String.raw`^\s*(elif|if|while)\s+(.+?)\s*:\s*$`),
    (keyword, condition) =>
      `${keyword === "elif" ? "else if" : keyword} (${condition!.replace(/^\((.*)\)$/, "$1")}) { … }`,
  ],
  [
    pattern(String.raw`\[\s*([^[\]]+?)\s+for\s+(${word})\s+in\s+(${operand})\s*\]`),
    (value, name, list) => `${list}.map((${name}) => ${value})`,
  ],
  [
    pattern(String.raw`\blambda\s+([^:]*?)\s*:\s*(.+?)(?=\s*[,)]*$)`),
    (parameters, value) => `(${parameters}) => ${value}`,
  ],
  [pattern(String.raw`(${operand})\s+@\s+(${operand})`), (left, right) => `${left}.matmul(${right})`],
  [
    pattern(String.raw`(${word})\[\s*(-?\w*)\s*:\s*(-?\w*)\s*\]`),
    (name, from, to) => `${name}.slice([${from || 0}, ${to || "null"}])`,
  ],
  [
    pattern(String.raw`(${word})\[[^\]"'{}?]*:[^\]"'{}?]*\]`),
    (name) =>
      `${name}.slice([0, 3], null) takes a part of each axis, null a whole one, and ${name}.unsqueeze(1) adds an axis`,
  ],
  [pattern(String.raw`\b[fF](["'])(.*?)\1`), (_, text) => `\`${text!.replaceAll("{", "${")}\``],
  [pattern(String.raw`^\s*\?{1,2}\s*([\w.]+)\s*$`), (name) => `${name}?, behind the name`],
  [pattern(String.raw`^\s*print\s+(.+)$`), (value) => `console.log(${value})`],
];

const withoutSelf = (parameters: string) => parameters.replace(/^\s*self\s*(?:,\s*|$)/, "");

/** Python in a cell whose parser failed at that offset, on that line or before it; `null` where it is none. */
export function pythonSpelling(source: string, offset: number): Spelling | null {
  const begin = source.lastIndexOf("\n", offset - 1) + 1;
  const end = source.indexOf("\n", offset);
  return (
    importAbove(source.slice(0, begin)) ?? spellingOn(source.slice(begin, end === -1 ? source.length : end), begin)
  );
}

/** To TypeScript `import torch` goes on in the next line with code, where its parser fails. */
function importAbove(above: string): Spelling | null {
  const code = above.trimEnd();
  const begin = code.lastIndexOf("\n") + 1;
  return /^\s*import\s/.test(code.slice(begin)) ? spellingOn(code.slice(begin), begin) : null;
}

/** Of a line that begins at that offset. */
function spellingOn(line: string, begin: number): Spelling | null {
  for (const [looksLike, inTypeScript] of lines) {
    const found = looksLike.exec(line);
    if (found === null) continue;
    const at = found.index + (found[0].length - found[0].trimStart().length);
    const spelt = line.slice(at, found.index + found[0].length).trimEnd();
    const [, ...groups] = found;
    return {
      message: `${spelt.startsWith("#") ? "#" : spelt} is Python. In TypeScript: ${inTypeScript(...groups)}.`,
      offset: begin + at,
    };
  }
  return null;
}

/** A magic below code, where the parser failed at that offset; `null` where there is none. */
export function lateMagic(source: string, offset: number): Spelling | null {
  const begin = source.lastIndexOf("\n", offset - 1) + 1;
  const found = /^(\s*)(%{1,2}[a-z_]+)\b/.exec(source.slice(begin));
  if (found === null) return null;
  const [, space = "", magic = ""] = found;
  return {
    message: `${magic} stands below code: magics come first in a cell, so move the line up, or into a cell of its own.`,
    offset: begin + space.length,
  };
}

const names: readonly [RegExp, string][] = [
  [/^print$/, "console.log(x) prints, and the value of a cell's last line is shown by itself"],
  [/^(?:True|False)$/, "it is true or false here"],
  [/^None$/, "it is null here"],
  [/^len$/, "x.length is that of a list, x.shape[0] that of a tensor"],
  [/^range$/, "for (let i = 0; i < n; i++) counts, and arange(n) makes a tensor"],
  [/^enumerate$/, "for (const [i, x] of list.entries()) has both"],
  [
    /^(?:int|float)$/,
    'Math.trunc(x) and Number(x) make numbers, x.item() that of a tensor; a type of C++ is a text, kernel.as("float")',
  ],
  [/^cuda$/, "await synchronize() waits for the device, and %%cuda begins a cell of CUDA C++"],
  [/^str$/, "String(x) or `${x}` makes a text"],
  [/^(?:list|tuple)$/, "[...x] makes a list of what a loop goes through, and x.toArray() of a tensor"],
  [/^dict$/, "{ name: value } and new Map() hold values by name"],
  [/^zip$/, "a.map((x, i) => [x, b[i]]) goes through two lists"],
  [/^sorted$/, "[...list].sort((a, b) => a - b) sorts numbers, and x.sort() a tensor"],
  [/^isinstance$/, "x instanceof Tensor asks for a class"],
  [/^self$/, "it is this here"],
  [/^math$/, "Math.sqrt(x) and the like are JavaScript's own, for numbers"],
  [/^open$/, 'import { readFileSync } from "node:fs" reads a file, and io.load one of arrays'],
  [/^(?:sleep|time)$/, "await new Promise((done) => setTimeout(done, 1000)) waits, and performance.now() tells time"],
  [/^(?:tqdm|trange)$/, 'import { progress } from "warpcell": progress(list) tells how far a loop is'],
  [/^(?:HTML|Markdown|Image|Latex)$/, "html`…`, md`…` and svg`…` make markup, and plot.image(x) shows an image"],
  [/^(?:dir|help)$/, "%help NAME says what a name means"],
  [/^(?:np|numpy|cp|cupy|jnp|jax|torch|pd|pandas)$/, 'its functions are imported: import * as wc from "warpcell"'],
  [/^(?:plt|matplotlib|sns)$/, 'charts are drawn by plot: import { plot } from "warpcell"'],
];

/** What to add to a ReferenceError that says `message`; "" for one that is not about Python. */
export function insteadOfPython(message: string): string {
  const name = /^([\w$]+) is not defined$/.exec(message)?.[1];
  const row = name === undefined ? undefined : names.find(([looksLike]) => looksLike.test(name));
  return row === undefined ? "" : `, because it belongs to Python: ${row[1]}.`;
}

/** What stands here for a magic of IPython; `undefined` for a name that is none of those. */
export function insteadOfMagic(name: string): string | undefined {
  return magics[name.replace(/^%+/, "")];
}

const magics: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  timeit: "await benchmark(() => …) runs code many times, and %time says how long a cell took",
  prun: "%%profile shows what took how long",
  matplotlib: 'charts need no magic: import { plot } from "warpcell"',
  pip: "%npm install NAME installs a package",
  conda: "%npm install NAME installs a package",
  who: "%whos lists the notebook's names",
  memory: 'import { memory } from "warpcell": memory() tells what is allocated, and the memory panel shows it',
  env: "process.env has the variables of the environment",
  cd: 'process.chdir("FOLDER") changes the folder',
  pwd: "process.cwd() is the folder",
  ls: 'import { readdirSync } from "node:fs" lists a folder',
  bash: 'import { execFileSync } from "node:child_process" runs a program',
  sh: 'import { execFileSync } from "node:child_process" runs a program',
  html: "html`…` shows a page's text",
  javascript: "a cell is TypeScript, which runs in Node and not in the page",
  js: "a cell is TypeScript, which runs in Node and not in the page",
  latex: "md`$x^2$` shows a formula",
  markdown: "md`…` shows Markdown",
  reset: "exit ends the session, and the next cell begins with fresh variables",
  run: 'await import("./FILE.ts") runs a file',
  debug: "the bug beside the kernel's name turns on the debugger",
  pdb: "the bug beside the kernel's name turns on the debugger",
  nvcc: "a cell of CUDA C++ begins with %%cuda",
  load_ext: "nothing has to be loaded: a cell of CUDA C++ begins with %%cuda",
  autoreload: "files that a cell imports are read again when they have changed",
});
