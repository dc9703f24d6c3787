// The course: each chapter runs from top to bottom with its exercises unsolved, and again with the answers of its
// cards, which solve them all. How it is stored, and that the page lists it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { freshSeed, seeded } from "./helpers/random.ts";
import { type Cell, cellsOf, notebook, run } from "./helpers/notebooks.ts";

const folder = fileURLToPath(new URL("../notebooks/course", import.meta.url));
const chapters = readdirSync(folder).filter((name) => name.endsWith(".ipynb"));
/** Each runs for some ten seconds: three of them, others in the next run, and all in the long one. */
const random = seeded(freshSeed());
const played = new Set(
  process.env["WARPCELL_LONG"] === "1"
    ? chapters
    : chapters
        .map((name) => [random(), name] as const)
        .sort(([a], [b]) => a - b)
        .slice(0, 3)
        .map(([, name]) => name),
);
const mark = /^.*\/\/ change me\b.*$/m;
const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** Exercises that may be right by luck before they are solved: what is on two streams may come in the right order. */
const luck: Readonly<Record<string, number>> = { "12-streams.ipynb": 1 };

const whichDevice = `import { defaultDevice as chosen } from "warpcell";
console.log("It ran on " + chosen().device.name + ".");`;

const html = ({ outputs }: Cell): string =>
  outputs.map(({ data }) => [data?.["text/html"] ?? ""].flat().join("")).join("");

/** The answer on a card, as it is stored. */
const answerOf = (cell: Cell): string | undefined =>
  /<summary>An answer<\/summary><pre><code>([^]*?)<\/code>/
    .exec(html(cell))?.[1]
    ?.replace(/&(amp|lt|gt|quot);/g, (_all, name: string) => characters[name]!);

const isExercise = (cell: Cell): boolean => /^\s*(?:await )?exercise\(/m.test(cell.source);

/** The cells of each exercise with its answer in place of the line that is to be changed. */
function solved(cells: readonly Cell[]): string[] {
  let marked = "";
  return cells.flatMap((cell) => {
    if (mark.test(cell.source)) marked = cell.source;
    if (!isExercise(cell)) return [];
    const answer = answerOf(cell);
    expect(answer, cell.source).toBeDefined();
    const answered = marked.replace(mark, () => answer!);
    return cell.source === marked ? [answered] : [answered, cell.source];
  });
}

describe.each(chapters)("%s", (name) => {
  const cells = cellsOf(join(folder, name));
  const code = cells.filter(({ kind }) => kind === "code");
  const exercises = code.filter(isExercise);

  const play = played.has(name) ? test : undefined;
  play?.(
    "runs as it is, and its answers are right",
    async () => {
      const {
        code: status,
        stdout,
        stderr,
      } = await run(notebook(...code.map(({ source }) => source), ...solved(code), "exercises()", whichDevice));
      expect(status, stdout + stderr).toBe(0);
      const scores = [...stdout.matchAll(/^Exercises: (\d+) of (\d+) solved$/gm)].map(([, of, all]) => [of, all]);
      const all = String(exercises.length);
      expect(scores, stdout).toEqual([
        [scores[0]![0], all],
        [all, all],
      ]);
      // On a GPU numbers may be right where a race or an index past the end is the mistake.
      const [, device] = /^It ran on (cpu|cuda:\d+)\.$/m.exec(stdout)!;
      const right = Number(scores[0]![0]);
      if (device === "cpu") expect(right).toBeLessThanOrEqual(luck[name] ?? 0);
      else expect(right).toBeLessThan(exercises.length);
      expect(stdout).not.toMatch(/type error|warning:/);
    },
    180_000,
  );

  test("is short, and has exercises with hints and answers", () => {
    expect(cells.length).toBeLessThanOrEqual(30);
    expect(exercises.length).toBeGreaterThanOrEqual(2);
    expect(exercises.length).toBeLessThanOrEqual(4);
    expect(code.filter(({ source }) => mark.test(source))).toHaveLength(exercises.length);
    // The code of a card has the answer in it.
    expect(exercises.filter(({ isHidden }) => !isHidden).map(({ source }) => source)).toEqual([]);
    for (const cell of exercises) expect(html(cell)).toMatch(/<summary>Hint[^]*<summary>An answer/);
    expect(code.at(-1)!.source).toBe("exercises()");
    const wide = code.flatMap(({ source }) => source.split("\n")).filter((line) => line.trimEnd().length > 80);
    expect(wide).toEqual([]);
  });

  test("is stored with its outputs, and they name no folder of a machine", () => {
    const outputs = code.flatMap((cell) => cell.outputs);
    const types = outputs.flatMap(({ data = {} }) => Object.keys(data));
    expect(types.filter((type) => type.startsWith("image/")).length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(outputs)).not.toMatch(/did not answer|type error|\/(?:home|root|tmp|Users)\//);
  });

  test("is in the list of chapters, by its title", () => {
    const title = /^# \d+ · (.+)$/m.exec(cells[0]!.source)![1]!;
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(`[${title}](${name})`);
  });
});

test("the chapters are numbered from 1, without a gap", () => {
  expect(chapters.map((name) => Number(/^\d\d/.exec(name)![0]))).toEqual(chapters.map((_, index) => index + 1));
});
