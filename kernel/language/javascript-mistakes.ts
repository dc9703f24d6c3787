// What JavaScript says of a mistake that is easily made here, and what to write instead.

/** Libraries that draw in a page look for its document; those that are made for servers, too, can be given one. */
const document =
  ': this code looks for the document of a web page, and a kernel has none. Give it one, Plot.plot({ document, … }) with import { JSDOM } from "npm:jsdom" and const { document } = new JSDOM("").window, or draw with plot of warpcell, which needs none.';

const rows: readonly [RegExp, (name: string) => string][] = [
  [/^Class constructor (Tensor) cannot be invoked without 'new'$/u, () => ": write tensor([1, 2])."],
  [
    /^(fetch failed)$/u,
    () => ': error.cause says why. fetch reads addresses of the web, and readFileSync of "node:fs" files.',
  ],
  [
    /^Cannot read properties of null \(reading '(zero_|mul|mul_|norm|square)'\)$/u,
    () => ": a gradient is null before backward() and after zeroGrad().",
  ],
  [
    /^Class constructor ([\p{ID_Start}$_][\p{ID_Continue}$]*) cannot be invoked without 'new'$/u,
    (name) => `: ${name} is a class, so write new before the call.`,
  ],
  [
    /^([\p{ID_Start}$_][\p{ID_Continue}$]*)\[\(.*,.*\)\] is not a function$/u,
    (name) =>
      `: brackets launch no kernel here, as they do in Numba: write ${name}.launch({ grid: 1, block: 256 }, …).`,
  ],
  [
    /^(?:\S+\.)?(median|mode|sort|topk|kthvalue|cummax|cummin)\(\.\.\.\)\.\S+ is not a function$/u,
    (name) => `: ${name} gives { values, indices }, so write .values behind it.`,
  ],
  [
    /^(\S+)\.size is not a function$/u,
    (name) => `: of a tensor it is the number of elements, and ${name}.shape[0] the size of its first axis.`,
  ],
  [
    /^(\S+)\.data\.\S+ is not a function$/u,
    (name) => `: data() copies elements, and noGrad(() => ${name}.add_(1)) changes a tensor without a gradient.`,
  ],
  [/^(\S+)\.shape is not a function$/u, (name) => `: of a tensor it is a list, so write ${name}.shape[0].`],
  [
    /^(\S+)\.(?:dtype|device) is not a function$/u,
    (name) => `: it is not a method, so write ${name}.to(…) to change it.`,
  ],
  [
    /^Cannot (mix BigInt and other types, use explicit conversions|convert a BigInt value to a number)$/,
    () => ": elements of int64 are BigInt. Number(i) makes a number of one, and a tensor of int32 has numbers.",
  ],
  [
    /^Cannot read properties of undefined \(reading '(documentElement|createElement|createElementNS|createTextNode)'\)$/,
    () => document,
  ],
];

/** What to add to an error that says `message` of an import. */
export function insteadOfImport(message: string): string {
  const name = /^Module ".*\/([^/"]+)" needs an import attribute of type "json"$/.exec(message)?.[1];
  return name === undefined ? "" : `: write import … from "./${name}" with { type: "json" }.`;
}

/** What to add to a ReferenceError that says `message`: names of web pages that a kernel lacks. */
export function insteadOfPage(message: string): string {
  if (/^alert is not defined$/.test(message)) return ": console.log(x) prints, and display(x) shows a value.";
  return /^(?:document|window|SVGElement|HTMLElement|HTMLCanvasElement) is not defined$/.test(message) ? document : "";
}

/** What to add to a TypeError that says `message`; "" for one that is about something else. */
export function insteadOfMistake(message: string): string {
  for (const [pattern, advice] of rows) {
    const name = pattern.exec(message)?.[1];
    if (name !== undefined) return advice(name);
  }
  return "";
}
