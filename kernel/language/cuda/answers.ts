// What an editor is told of a place in a `%%cuda` cell: what a word is, which call the cursor is in, and what may stand
// there.
import type { EditorHover, EditorMatch, EditorMatches, EditorSignature, EditorSignatures } from "warpcell/payloads";
import { prefixAt } from "../complete.ts";
import { builtins, type Builtin } from "./builtins.ts";
import { beforeAngles, type CudaNotebook, type Meaning } from "./notebook.ts";
import type { CudaName, Word } from "./reading.ts";

/** A struct of more lines is cut in a hover. */
const linesShown = 16;

/** What the word at `offset` is. */
export function hoverOf(notebook: CudaNotebook, cell: number, offset: number): EditorHover | null {
  const index = notebook.wordAt(cell, offset);
  const word = notebook.cell(cell).words[index];
  const meaning = word === undefined ? null : notebook.meaningOf(cell, index);
  if (word === undefined || meaning === null) return macroHover(notebook, cell, offset);
  const isDeduced = meaning.name !== null && meaning.name.value !== undefined;
  const type = isDeduced ? notebook.typeBefore(cell, meaning.name.value!) : null;
  const markdown = type === null ? described(meaning) : fenced(`${type} ${word.text}`, "");
  return { start: word.start, end: word.end, markdown };
}

/** In a preprocessor line, macros have a meaning. */
function macroHover(notebook: CudaNotebook, cell: number, offset: number): EditorHover | null {
  const word = notebook.cell(cell).inDirectives.find(({ start, end }) => start <= offset && offset <= end);
  const meaning = word === undefined ? null : notebook.named(cell, word.text, word.start);
  return word === undefined || meaning?.name?.kind !== "macro"
    ? null
    : { start: word.start, end: word.end, markdown: described(meaning) };
}

/** As Markdown: its signature, and what it does. */
export function described({ name, builtin }: Meaning): string {
  if (builtin !== null) return fenced(builtin.signature, builtin.documentation);
  return fenced(signatureOf(name), name.documentation);
}

function signatureOf(name: CudaName): string {
  if (name.kind !== "struct") return name.signature;
  const lines = name.members.map(({ kind, signature, type, name: member }) =>
    kind === "field" ? `  ${type} ${member};` : `  ${signature};`,
  );
  const shown = lines.length > linesShown ? [...lines.slice(0, linesShown), "  …"] : lines;
  return shown.length === 0 ? `struct ${name.name}` : `struct ${name.name} {\n${shown.join("\n")}\n}`;
}

function fenced(signature: string, documentation: string): string {
  return `\`\`\`c++\n${signature}\n\`\`\`${documentation === "" ? "" : `\n\n${documentation}`}`;
}

/** The call that `offset` is in, with the parameter that stands there. */
export function signaturesOf(notebook: CudaNotebook, cell: number, offset: number): EditorSignatures | null {
  const { words } = notebook.cell(cell);
  const call = callAround(words, offset);
  if (call === null) return null;
  const callee = words[call.callee]!;
  const meaning = notebook.meaningOf(cell, call.callee);
  if (meaning === null) return null;
  const found = overloadsOf(notebook, cell, meaning, callee.text).filter(({ signature }) => signature.includes("("));
  if (found.length === 0) return null;
  const signatures = found.map(({ name, signature, documentation }): EditorSignature => {
    const parameters = parametersIn(signature, name);
    const last = parameters.at(-1);
    const parameter =
      parameters[call.parameter] ?? (last !== undefined && /…|\.\.\./.test(signature.slice(...last)) ? last : null);
    return { label: signature, parameter, markdown: documentation };
  });
  const fits = found.findIndex(({ name, signature }) => parametersIn(signature, name).length > call.parameter);
  return { signatures, active: Math.max(0, fits) };
}

function overloadsOf(
  notebook: CudaNotebook,
  cell: number,
  meaning: Meaning,
  name: string,
): { name: string; signature: string; documentation: string }[] {
  if (meaning.builtin !== null) return [meaning.builtin];
  const { kind, members } = meaning.name;
  if (kind === "struct") return members.filter((member) => member.name === name);
  if (kind === "method" || meaning.name.scope !== null) return [meaning.name];
  return notebook.overloads(cell, name);
}

/** The innermost call whose brackets are open at `offset`, and how many commas are before it there. */
function callAround(words: readonly Word[], offset: number): { callee: number; parameter: number } | null {
  let depth = 0;
  let commas = 0;
  for (let at = words.findLastIndex(({ end }) => end <= offset); at >= 0; at--) {
    const { text, kind } = words[at]!;
    if (kind !== "mark") continue;
    if (text === ")" || text === "]" || text === "}") depth += 1;
    else if (text === ";") return null;
    else if (text === "," && depth === 0) commas += 1;
    else if (text === "(" || text === "[" || text === "{") {
      if (depth-- > 0) continue;
      if (text === "{") return null;
      const callee = words[at - 1]?.text === ">" ? beforeAngles(words, at - 1) : at - 1;
      const isCall =
        text === "(" &&
        words[callee]?.kind === "word" &&
        !/^(?:if|for|while|switch|return|sizeof)$/.test(words[callee]!.text);
      if (isCall) return { callee, parameter: commas };
      depth = 0;
      commas = 0;
    }
  }
  return null;
}

/** Where the parameters stand in a signature. */
export function parametersIn(signature: string, name: string): [number, number][] {
  const at = signature.search(new RegExp(`\\b${name}(?:<[^()]*>)?\\s*\\(`));
  const open = signature.indexOf("(", at);
  if (at < 0 || open < 0) return [];
  const found: [number, number][] = [];
  let depth = 0;
  let start = open + 1;
  for (let place = open; place < signature.length; place++) {
    const character = signature[place]!;
    if ("([{<".includes(character)) depth += 1;
    if (")]}>".includes(character)) depth -= 1;
    if ((character === "," && depth === 1) || depth === 0) {
      const text = signature.slice(start, place);
      if (text.trim() !== "")
        found.push([start + text.length - text.trimStart().length, start + text.trimEnd().length]);
      start = place + 1;
    }
    if (depth === 0) break;
  }
  return found;
}

/** What may stand at `offset`: members behind `.` and `->`, else names that begin as the word there. */
export function matchesOf(notebook: CudaNotebook, cell: number, offset: number): EditorMatches {
  const { text, words } = notebook.cell(cell);
  const prefix = prefixAt(text, offset);
  const start = offset - prefix.length;
  const none = { start, end: offset, matches: [] };
  if (words.some(({ kind, start: from, end }) => kind === "string" && from < offset && offset < end)) return none;
  if (isInComment(text, offset)) return none;
  const before = words.findLastIndex(({ end }) => end <= start);
  const mark = words[before]?.end === start ? words[before]!.text : "";

  const found = new Map<string, EditorMatch>();
  const add = (match: EditorMatch): void => {
    if (!found.has(match.text)) found.set(match.text, match);
  };
  if (mark === "." || mark === "->") {
    for (const member of notebook.membersOf(cell, notebook.typeBefore(cell, before - 1)))
      add("own" in member ? matchOf(member.own) : builtinMatch(member));
  } else if (mark === "::") {
    const owner = words[before - 1]?.text ?? "";
    if (owner === "cooperative_groups" || notebook.isAlias(owner, "cooperative_groups"))
      for (const builtin of builtins) if (builtin.namespace === "cooperative_groups") add(builtinMatch(builtin));
    for (const { name } of notebook.shared(cell))
      if (name.name === owner && name.kind === "enum") for (const member of name.members) add(matchOf(member));
    // Names of a namespace of the notebook's own.
    if (found.size === 0) for (const { name } of notebook.shared(cell)) add(matchOf(name));
  } else if (prefix !== "") {
    for (const name of notebook.locals(cell, offset)) if (name.start !== start) add(matchOf(name));
    for (const { cell: other, name } of notebook.shared(cell))
      if (other !== cell || name.start !== start) add(matchOf(name));
    for (const builtin of builtins) if (builtin.namespace === "") add(builtinMatch(builtin));
    for (const word of keywords) add({ ...plain, text: word, type: "keyword" });
  }
  const all = [...found.values()];
  const exact = all.filter(({ text: match }) => match.startsWith(prefix));
  const matches =
    exact.length > 0 ? exact : all.filter(({ text: match }) => match.toLowerCase().startsWith(prefix.toLowerCase()));
  return { start, end: offset, matches };
}

const plain: EditorMatch = { text: "", type: "", signature: "", documentation: "", from: null, edits: [] };

const keywords =
  "alignas alignof auto bool break case char class const constexpr continue decltype default delete do double else enum explicit extern false float for friend if inline int long namespace new noexcept nullptr operator private public return short signed sizeof static static_assert static_cast reinterpret_cast struct switch template this true typedef typename union unsigned using void volatile while".split(
    " ",
  );

const shownAs: Readonly<Record<CudaName["kind"] | Builtin["kind"], string>> = {
  kernel: "function",
  function: "function",
  method: "method",
  struct: "class",
  enum: "enum",
  type: "type",
  const: "const",
  macro: "const",
  variable: "variable",
  field: "property",
  parameter: "variable",
  keyword: "keyword",
};

function matchOf({ name, kind, signature, documentation }: CudaName): EditorMatch {
  return { ...plain, text: name, type: shownAs[kind], signature, documentation };
}

function builtinMatch({ name, kind, signature, documentation }: Builtin): EditorMatch {
  return { ...plain, text: name, type: shownAs[kind], signature, documentation };
}

/** Whether `offset` lies in a comment: no token is there, and one begins before it. */
export function isInComment(text: string, offset: number): boolean {
  const pattern = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|\/\/.*|\/\*[^]*?(?:\*\/|$)/g;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (index >= offset) return false;
    const end = index + found.length;
    const isOpen = found.startsWith("//") || (found.startsWith("/*") && !found.endsWith("*/"));
    if (found.startsWith("/") && (offset < end || (isOpen && offset === end))) return true;
  }
  return false;
}
