// What the checker knows about a place in a cell, as text and Markdown for a person.
import { readable } from "./diagnostics.ts";

export interface Inspection {
  found: boolean;
  text: string;
  markdown: string;
}

export const nothing: Inspection = { found: false, text: "", markdown: "" };

type Contents = string | { value: string } | null | undefined;

/** A `Hover` (Language Server Protocol 3.17), or `null`. */
export function fromHover(result: unknown): Inspection {
  const contents = (result as { contents?: Contents | Contents[] } | null)?.contents;
  const parts = (Array.isArray(contents) ? contents : [contents]).map(textOf).filter((part) => part !== "");
  return parts.length === 0 ? nothing : inspection(parts.join("\n\n"));
}

interface Signature {
  label: string;
  documentation?: Contents;
}

/** A `SignatureHelp`: the call around the cursor, the active overload first. */
export function fromSignature(result: unknown): Inspection {
  const help = result as { signatures?: Signature[]; activeSignature?: number } | null;
  const signatures = help?.signatures ?? [];
  const active = signatures[help?.activeSignature ?? 0];
  if (active === undefined) return nothing;

  const labels = [active, ...signatures.filter((signature) => signature !== active)].map(
    (signature) => signature.label,
  );
  return inspection(`${fence(labels.join("\n"))}\n${textOf(active.documentation)}`);
}

/** The same with the source of a declaration below. */
export function withSource(given: Inspection, source: string): Inspection {
  return {
    found: true,
    text: `${given.text}\n\n${source}`.trimStart(),
    markdown: `${given.markdown}\n\n${fence(source)}`.trimStart(),
  };
}

/** The same with what a name has at this moment before it. */
export function withValue(given: Inspection, name: string, value: string): Inspection {
  return {
    found: true,
    text: `${name} is now ${value}\n\n${given.text}`.trimEnd(),
    markdown: `\`${name}\` is now \`${value.replaceAll("`", "'")}\`\n\n${given.markdown}`.trimEnd(),
  };
}

/** The name at a place, unless it is a property of something. */
export function nameAt(code: string, offset: number): string | null {
  const before = /(\.\s*)?([\p{ID_Start}$_][\p{ID_Continue}$]*)?$/u.exec(code.slice(0, offset));
  const after = /^[\p{ID_Continue}$]*/u.exec(code.slice(offset))![0];
  const name = (before?.[2] ?? "") + after;
  return name === "" || before?.[1] !== undefined ? null : name;
}

/**
 * The offset of the function's name when `offset` is behind a call, of the name's end when it is behind other
 * punctuation.
 */
export function calleeBefore(code: string, offset: number): number {
  let at = code.slice(0, offset).replace(/[\s;,]+$/, "").length;
  if (code[at - 1] !== ")") return code.slice(0, at).replace(/[\s.([]+$/, "").length;

  for (let depth = 0; at > 0; ) {
    at--;
    if (code[at] === ")") depth++;
    if (code[at] === "(" && --depth === 0) break;
  }
  return at;
}

/** Markdown of the checker's, and the same as text. */
export function inspection(markdown: string): Inspection {
  const shown = readable(markdown)
    .replaceAll("(alias) ", "")
    .replace(/^\*@example\*\s*^```tsx$/gm, "Example:\n```typescript")
    .trim();
  // What the checker says of a name that it does not know.
  if (shown === fence("any")) return nothing;
  const text = shown.replace(/```[\w+]*\n([^]*?)\n?```/g, "$1\n").replace(/\n{3,}/g, "\n\n");
  return { found: true, text: text.trim(), markdown: shown };
}

function textOf(contents: Contents): string {
  return (typeof contents === "string" ? contents : (contents?.value ?? "")).trim();
}

function fence(code: string): string {
  return `\`\`\`typescript\n${code}\n\`\`\``;
}
