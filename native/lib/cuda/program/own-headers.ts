// Headers of a program's own that have device code: they become part of its text, which is split as a whole.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { headerFile } from "../header-files.ts";
import { tokenize } from "../tokens.ts";

// Names of CUDA's runtime are unknown to a compiler for a device.
const deviceCode =
  /\b__(?:global|device|constant|managed|shared)__\b|<<<|\bcuda[A-Z]\w*|#\s*include\s*[<"](?:cuda|helper)_\w+\.h[>"]/;
const included = /^[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)/;

/**
 * The program with those headers in place of the lines that include them, each between lines that tell a compiler
 * where it is. A header is taken once, as its guard or `#pragma once` asks; one without either is taken every time.
 * `name` is what the program's own lines are of.
 */
export function withOwnHeaders(source: string, name: string, folders: readonly string[]): string {
  const taken = new Set<string>();
  const open = new Set<string>();
  const expanded = (text: string, file: string, beside: string | null): string => {
    let [whole, at] = ["", 0];
    for (const { start, end, line, name: word, rest } of tokenize(text).directives) {
      const [, quoted, angled] = included.exec(`${word} ${rest}`) ?? [];
      const path = quoted ?? angled;
      if (path === undefined) continue;
      const header = headerFile({ quoted, angled }, beside, folders);
      // What includes itself is for a preprocessor to refuse.
      if (header === null || open.has(header)) continue;
      let inside = "";
      if (!taken.has(header)) {
        const content = readFileSync(header, "utf8");
        open.add(header);
        const inner = expanded(content, path, dirname(header));
        open.delete(header);
        if (inner === content && !deviceCode.test(content)) continue;
        if (isGuarded(content)) taken.add(header);
        inside = `#line 1 ${JSON.stringify(path)}\n${inner}\n`;
      }
      const below = line + text.slice(start, end).split("\n").length;
      whole += `${text.slice(at, start)}${inside}#line ${below} ${JSON.stringify(file)}`;
      at = end;
    }
    return whole + text.slice(at);
  };
  return expanded(source, name, null);
}

/** Whether a header is one the second time, too: it has `#pragma once`, or all of it is between #ifndef and #endif. */
function isGuarded(content: string): boolean {
  const { directives } = tokenize(content);
  const [first, second] = directives;
  if (directives.some(({ name, rest }) => name === "pragma" && rest.trim() === "once")) return true;
  return (
    first?.name === "ifndef" &&
    second?.name === "define" &&
    first.rest.trim() === second.rest.trim().split(/\s/)[0] &&
    directives.at(-1)?.name === "endif"
  );
}
