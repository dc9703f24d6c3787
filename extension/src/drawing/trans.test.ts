// Labels of commands, captions, dialogs, notes, tooltips and names of controls are words of the translator's: none stands in
// the sources by itself.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const sources = fileURLToPath(new URL("..", import.meta.url));
const visible =
  /(?:\b(?:label|caption|okLabel|cancelLabel|body|title|(?<!\n {2})description): (?:\(\) => )?|\.(?:label|caption|title|placeholder|textContent|ariaLabel) = |"aria-(?:label|description)",|\bNotification\.\w+\(|\b(?:say|head|part|group|check|numberBox)\(|(?<!\.)\bbutton\((?:[^\n()]*(?:\([^()]*\))?, )?|\belement\(\s*"\w+",\s*"[^"]*",)\s*(["'`])(?!Warpcell: \$\{)(?=(?:[^"'`$]|\$\{[^}]*\})*?(?<![${.\w(])[A-Za-z]{2})/g;

const bare = (name: string, text: string): string[] =>
  [...text.matchAll(visible)].map(({ index }) => `${name}:${text.slice(0, index).split("\n").length}`);

test("every label, caption, dialog, note and tooltip goes through trans", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((name) => bare(name, readFileSync(join(sources, name), "utf8")))).toEqual([]);
});

test("words that stand by themselves are found", () => {
  expect(bare("a", 'x;\nlabel: "Rename"')).toEqual(["a:2"]);
  expect(bare("a", "label: () => `Go to ${x}`")).toEqual(["a:1"]);
  expect(bare("a", 'Notification.info("No.")')).toEqual(["a:1"]);
  expect(bare("a", 'tab.title.caption = "Tensor"')).toEqual(["a:1"]);
  expect(bare("a", 'title: "Size",')).toEqual(["a:1"]);
  expect(bare("a", 'element("p", "warpcell-x", "No rows")')).toEqual(["a:1"]);
  expect(bare("a", 'element(\n  "p",\n  "",\n  `of ${n}`,\n)')).toEqual(["a:1"]);
  expect(bare("a", 'node.textContent = "None"')).toEqual(["a:1"]);
  expect(bare("a", 'part("Map", x)')).toEqual(["a:1"]);
  expect(bare("a", 'button("−", "Zoom out", x)')).toEqual(["a:1"]);
  expect(bare("a", 'element("p", "", `${device.name} ${count}`)')).toEqual([]);
  expect(bare("a", 'label: () => trans.__("Rename")')).toEqual([]);
});
