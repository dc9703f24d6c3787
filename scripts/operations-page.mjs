// Writes native/OPERATIONS.md, the page of operations, from the table and the sentences above its rows.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "native", "lib", "ops");
const domains = {
  number: "numbers",
  comparable: "all that compute",
  float: "floats; integers become float32",
  wide: "float32, float64; integers become float32",
  integer: "integers, bool",
  whole: "integers",
  logical: "anything, as bool",
};

/** The rows of each source file: names and the sentences above them. */
function sources() {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const title = /^\/\/ (.*?)[.:]/.exec(text)[1];
      const sentences = new Map(
        [...text.matchAll(/\/\*\* ([^\n]*?) ?\*\/\n(?:export )?(?:const )? *(\w+)(?:Row)?\b/g)].map(
          ([, sentence, row]) => [row, sentence.replace(/\{@link (\w+)\}/g, "`$1`")],
        ),
      );
      return {
        title,
        sentences,
        has: (row) => new RegExp(`^(?:  ${row}[:,]|(?:export )?const ${row}(?:Row)?:)`, "m").test(text),
      };
    });
}

/** The text of the page. `operations` is the table; `elementwise` those that are methods with an in-place form. */
export function operationsPage(operations) {
  const files = sources();
  const lines = [
    "# Operations",
    "",
    "Made by `node scripts/operations-page.mjs` from the table in `lib/ops`. An operation that takes part in gradients says so; one with an in-place form has a method with `_`.",
    "",
  ];
  const rest = new Map(Object.entries(operations));
  for (const { title, sentences, has } of files) {
    const rows = [...rest].filter(([name]) => has(name));
    if (rows.length === 0) continue;
    lines.push(`## ${title}`, "", "| Operation | | Takes | Gradient | In place |", "|---|---|---|---|---|");
    for (const [name, row] of rows) {
      rest.delete(name);
      lines.push(
        `| \`${name}\` | ${(sentences.get(name) ?? "").replace(/\|/g, "\\|")} | ${domains[row.domain] ?? ""} | ${row.gradient === null ? "none" : "yes"} | ${row.inPlace === true ? "yes" : ""} |`,
      );
    }
    lines.push("");
  }
  if (rest.size > 0) throw new Error(`No file of native/lib/ops has the rows ${[...rest.keys()].join(", ")}.`);
  return lines.join("\n");
}

export const page = join(root, "native", "OPERATIONS.md");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { operations } = await import("../native/dist/ops/table.js");
  writeFileSync(page, operationsPage(operations));
}
