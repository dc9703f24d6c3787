// Tells which of the checker's findings are about code that is right when it runs, so that no cell gets a warning it
// does not deserve.
import { isBuiltin } from "node:module";
import { parseSync } from "./parser.ts";

/** A finding at `offset` (UTF-16) of a cell's code. */
export interface Finding {
  code: number;
  message: string;
  offset: number;
}

/** What is known of the cell and of those before it. */
export interface Setting {
  text: string;
  /** Plain JavaScript: there is no way in its syntax to tell the checker what it misses. */
  plain: boolean;
  /**
   * Properties that plain JavaScript has given to some object, and any cell to the global one, in this cell or before.
   */
  added: ReadonlySet<string>;
  /** The statement that declares a name, in this cell or before. */
  sourceOf(name: string): string | null;
}

type Doubt = (finding: Finding, setting: Setting) => boolean;

const always: Doubt = () => true;

/** A class of a cell that was run again is another class with the same private members. */
const isSameClass: Doubt = ({ message }) =>
  /separate declarations of a private property|refers to a different member that cannot be accessed/.test(message);

/** `null` or `undefined` where a value should be, or a value where only they were seen so far. */
const isAboutNothing: Doubt = ({ message }) =>
  /(?:Type|Argument of type) '(?:undefined|null)' is not assignable to [^\n]*$/.test(message) ||
  /is not assignable to (?:parameter of )?type '(?:undefined|null|never|void)'/.test(message);

const isPartlyNothing: Doubt = ({ message }) => /\| (?:undefined|null)\b/.test(message);

/** A property that was added to an object after it was made, or that only some members of a union have. */
const isAddedProperty: Doubt = ({ message }, { added }) =>
  / on type '(?:\{|never)/.test(message) ||
  message.includes("\n") ||
  added.has(/^Property '([^']+)'/.exec(message)?.[1] ?? "");

/** Times are subtracted. */
const isDate: Doubt = ({ offset }, { text, sourceOf }) => {
  return /^\(*new Date\b/.test(text.slice(offset)) || (sourceOf(nameAt(text, offset))?.includes("new Date") ?? false);
};

/** A function may use what a later cell declares. */
const mayComeLater: Doubt = ({ code, offset }, { text }) => code === 2304 && isDeferred(text, offset);

/** The cell asks `typeof name`, whether there is such a name. */
const isAskedFor: Doubt = ({ offset }, { text }) =>
  new RegExp(`\\btypeof\\s+${nameAt(text, offset).replaceAll("$", "\\$")}(?![\\p{ID_Continue}$])`, "u").test(text);

/** Not all that this Node has is in its declarations, which leave `WebAssembly` to those of a browser. */
const isGlobal: Doubt = ({ offset }, { text }) => nameAt(text, offset) in globalThis;

/** `(globalThis as any).name = …`, in this cell or before. */
const isAddedGlobal: Doubt = ({ offset }, { text, added }) => added.has(nameAt(text, offset));

const isThere: Doubt = (...given) =>
  [isAskedFor, mayComeLater, isGlobal, isAddedGlobal].some((doubt) => doubt(...given));

/** What was added to JavaScript after the declarations that the checker knows, where this Node has it all the same. */
const isInNode: Doubt = ({ message }) => {
  const [, member, owner] =
    /^Property '([^']+)' does not exist on type '(\w+?)(Constructor)?(?:<|')/.exec(message) ?? [];
  const holder = (globalThis as Record<string, unknown>)[owner ?? ""] as { prototype?: object } | undefined;
  if (member === undefined || holder === undefined) return false;
  return Object(holder)[member] !== undefined || member in Object(holder.prototype);
};

/** A module of Node, or a name of one, that is newer than its declarations. */
const isBuiltIn: Doubt = ({ message }) => {
  const [, name = "", member] =
    /^(?:Cannot find (?:name|module)|Module) '"?([^'"]+)"?'(?: has no exported member (?:named )?'([^']+)')?/.exec(
      message,
    ) ?? [];
  return isBuiltin(name) && (member === undefined || member in Object(process.getBuiltinModule(name)));
};

/**
 * A file that is read when the cell comes to it, which may write it first; a name without ".json" is Node's to find.
 */
const isReadLater: Doubt = ({ message, offset }, { text }) =>
  /^Cannot find module '\.{0,2}\//.test(message) && /\brequire\(\s*$/.test(text.slice(0, offset));

/** In any cell. */
const doubts = new Map<number, Doubt>([
  [2322, isSameClass],
  [2345, isSameClass],
  [2304, isThere],
  [2552, isThere],
  [2584, isThere],
  [2503, isGlobal],
  [2307, (...given) => isBuiltIn(...given) || isReadLater(...given)],
  [2591, isBuiltIn],
  [2305, isBuiltIn],
  [2724, isBuiltIn],
  [2550, isInNode],
  [2339, isInNode],
  [2551, isInNode],
  // `import name = …`, `export = …`: what cannot run, the transform refuses.
  [1202, always],
  [1203, always],
]);

/** In plain JavaScript, besides those. */
const plainDoubts = new Map<number, Doubt>([
  // Possibly null, undefined or unknown.
  [2531, always],
  [2532, always],
  [2533, always],
  [2571, always],
  [18046, always],
  [18047, always],
  [18048, always],
  [18049, always],
  [2322, isAboutNothing],
  [2345, isAboutNothing],
  [2488, isPartlyNothing],
  [2461, isPartlyNothing],
  [2548, isPartlyNothing],
  [2339, isAddedProperty],
  [2551, isAddedProperty],
  [2353, ({ message }) => message.includes("in type '{")],
  [2362, isDate],
  [2363, isDate],
  // `delete object.name`, `{ ...text }`, `new Promise((resolve) => resolve())`
  [2790, always],
  [2698, always],
  [2794, always],
  [2810, always],
  // A function that reads `arguments` takes any number of them.
  [2554, ({ offset }, { text, sourceOf }) => /\barguments\b/.test(text + (sourceOf(calledIn(text, offset)) ?? ""))],
  // Functions that are called with `new`.
  [2683, always],
  // `[name] = 1` in a class.
  [1166, always],
]);

/** Brackets behind a tensor, which would read or write a property of JavaScript's. */
export const isTensorIndexed = ({ code, message }: Pick<Finding, "code" | "message">): boolean =>
  code === 7053 && /can't be used to index type 'Tensor</.test(message);

/** Whether the finding should not be shown. Implicit `any` (7000 … 7999) never is, but where a tensor is indexed. */
export function isDoubtful(finding: Finding, setting: Setting): boolean {
  if (finding.code >= 7000 && finding.code < 8000) return !isTensorIndexed(finding);
  if (doubts.get(finding.code)?.(finding, setting) === true) return true;
  return setting.plain && plainDoubts.get(finding.code)?.(finding, setting) === true;
}

/** Names that the code gives to all that follows, `(globalThis as any).name = …`. */
export function addedGlobals(code: string): string[] {
  return [
    ...code.matchAll(/\bglobalThis\b[^.;\n]*\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?:\?\?|\|\||&&)?=(?![=>])/gu),
  ].map((match) => match[1]!);
}

/** Properties that the code assigns, `object.name = …`. */
export function addedProperties(code: string): string[] {
  return [...code.matchAll(/\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=(?![=>])/gu)].map((match) => match[1]!);
}

function nameAt(text: string, offset: number): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u.exec(text.slice(offset))?.[0] ?? "";
}

/** The function whose call has its name or its first surplus argument at `offset`. */
function calledIn(text: string, offset: number): string {
  return (
    /([\p{ID_Continue}$]+)\([^()]*$/u.exec(text.slice(0, offset))?.[1] ??
    /^[\p{ID_Continue}$]+/u.exec(text.slice(offset))?.[0] ??
    ""
  );
}

/**
 * Whether `offset` is in a function that is not run where it is written: not one that is called at once or given to a
 * call.
 */
function isDeferred(code: string, offset: number): boolean {
  const { program } = parseSync("cell.ts", code, { lang: "ts", sourceType: "module" });
  const inside = (node: unknown, parent: string): boolean => {
    if (Array.isArray(node)) return node.some((child) => inside(child, parent));
    if (typeof node !== "object" || node === null) return false;

    const { type = "", start, end } = node as { type?: string; start?: number; end?: number };
    if (start !== undefined && end !== undefined && (offset < start || offset >= end)) return false;
    const called = parent === "CallExpression" || parent === "NewExpression" || parent === "ParenthesizedExpression";
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) && !called) return true;
    return Object.values(node).some((child) => inside(child, type === "" ? parent : type));
  };
  return inside(program.body, "");
}
