// Labels of commands, captions, dialogs, notes, tooltips and names of controls are words of the translator's: none stands in
// the sources by itself.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nullTranslator } from "@jupyterlab/translation";
import { expect, test } from "vitest";
import { checkChart } from "../chart/payload.ts";
import { factsOf } from "../tensor-view/summary.ts";
import { speakBy } from "./trans.ts";

const sources = fileURLToPath(new URL("..", import.meta.url));
const visible =
  /(?:\b(?:label|caption|okLabel|cancelLabel|body|problem|expected|detail|title|(?<!\n {2})description): (?:\(\) => )?|\.(?:label|caption|title|placeholder|textContent|ariaLabel) = |"aria-(?:label|description)",|\bNotification\.\w+\(|\b(?:say|head|part|group|check|numberBox)\(|(?<!\.)\bbutton\((?:[^\n()]*(?:\([^()]*\))?, )?|\belement\(\s*"\w+",\s*"[^"]*",)\s*(["'`])(?!Warpcell: \$\{)(?=(?:[^"'`$]|\$\{[^}]*\})*?(?<![${.\w(])[A-Za-z]{2})/g;

const bare = (name: string, text: string): string[] =>
  [...text.matchAll(visible)].map(({ index }) => `${name}:${text.slice(0, index).split("\n").length}`);

test("every label, caption, dialog, note and tooltip goes through trans", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap((name) => bare(name, readFileSync(join(sources, name), "utf8")))).toEqual([]);
});

test("what is refused, counts and figures are words of the translator's, whenever it comes", () => {
  const english = nullTranslator.load("");
  const shouting = {
    ...english,
    __: (text: string, ...args: unknown[]) => english.__(text.toUpperCase(), ...(args as string[])),
    _n: (one: string, many: string, count: number, ...args: unknown[]) =>
      english._n(one.toUpperCase(), many.toUpperCase(), count, ...(args as string[])),
  };
  const payload = { version: 1, dtype: "float32", device: "cpu", suspect: false, tile: null } as const;
  const facts = () =>
    factsOf({ ...payload, shape: [2000], size: 2000, bytes: 8000, min: 0, max: 1, mean: 0.5, nan: 2, inf: 0 });
  speakBy({ languageCode: "xx", load: () => shouting as unknown as typeof english });
  try {
    expect(checkChart(7)).toEqual({ ok: false, problem: "A CHART IS 7 BUT SHOULD BE A RECORD OF FIELDS." });
    expect(checkChart({ version: 1, width: "wide" })).toEqual({
      ok: false,
      problem: '"width" OF A CHART IS "wide" BUT SHOULD BE A NUMBER FROM 1 TO 10000.',
    });
    expect(facts().map(({ text, detail }) => detail ?? text)).toContain("2,000 ELEMENTS");
    expect(facts().map(({ detail }) => detail)).toContain("2 ELEMENTS ARE NAN");
  } finally {
    speakBy(nullTranslator);
  }
  expect(facts().map(({ text, detail }) => detail ?? text)).toContain("2,000 elements");
});

test("words that stand by themselves are found", () => {
  expect(bare("a", 'problem: "It is none."')).toEqual(["a:1"]);
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
