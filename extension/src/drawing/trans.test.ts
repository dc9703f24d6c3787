// Labels of commands, captions, dialogs, notes, tooltips and names of controls are words of the translator's: none stands in
// the sources by itself.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const sources = fileURLToPath(new URL("..", import.meta.url));
const visible =
  /(?:\b(?:label|caption|okLabel|cancelLabel|body): (?:\(\) => )?|\.(?:label|caption|title|placeholder) = |"aria-label", |\bNotification\.\w+\(|\bsay\()\s*(["'`])(?!Warpcell: \$\{)(?=[^"'`]*[A-Za-z]{2})/g;

const bare = (name: string, text: string): string[] =>
  [...text.matchAll(visible)].map(({ index }) => `${name}:${text.slice(0, index).split("\n").length}`);

/** Whose words are English whatever the language: put together of parts. */
const english = new Set(["gauges/status-item.ts", "viewer/viewer.ts"]);

test("every label, caption, dialog, note and tooltip goes through trans", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !english.has(name),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((name) => bare(name, readFileSync(join(sources, name), "utf8")))).toEqual([]);
});

test("words that stand by themselves are found", () => {
  expect(bare("a", 'x;\nlabel: "Rename"')).toEqual(["a:2"]);
  expect(bare("a", "label: () => `Go to ${x}`")).toEqual(["a:1"]);
  expect(bare("a", 'Notification.info("No.")')).toEqual(["a:1"]);
  expect(bare("a", 'tab.title.caption = "Tensor"')).toEqual(["a:1"]);
  expect(bare("a", 'label: () => trans.__("Rename")')).toEqual([]);
});
