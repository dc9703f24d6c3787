// The pages that people read in the sources: their links lead somewhere, to a file or to a heading, and every guide is
// listed.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const guides = readdirSync(join(root, "docs/guides"));
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "native/FEATURES.md",
  "notebooks/course/README.md",
  ...guides.map((name) => `docs/guides/${name}`),
];
const read = (page: string): string => readFileSync(join(root, page), "utf8");

/** The text of a page without its code. */
const proseOf = (page: string): string =>
  read(page)
    .replace(/^```[^]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, "");
const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, "")
      .replace(/\s/g, "-"),
  );

test("every link within the project leads to a file, and to a heading of it", () => {
  let count = 0;
  const broken = pages.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
      if (/^https?:/.test(target!)) return [];
      count++;
      const [path = "", heading] = target!.split("#");
      const file = path === "" ? page : relative(root, join(root, dirname(page), path));
      const isThere = existsSync(join(root, file)) && (heading === undefined || headingsOf(file).includes(heading));
      return isThere ? [] : [`${page} → ${target}`];
    }),
  );
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(15);
});

test("the first guide lists all others, and each has a title", () => {
  const index = read("docs/guides/index.md");
  expect(guides.filter((name) => name !== "index.md" && !index.includes(`(${name})`))).toEqual([]);
  expect(guides.filter((name) => !/^---\ntitle: .+\n---\n/.test(read(`docs/guides/${name}`)))).toEqual([]);
});

test("the site has every guide", () => {
  const { projectDocuments } = JSON.parse(read("docs/typedoc.json")) as { projectDocuments: string[] };
  const inSite = projectDocuments.map((path) => path.replace(/^guides\//, ""));
  expect(inSite.filter((path) => path !== "../CONTRIBUTING.md").sort()).toEqual(
    guides.filter((name) => name !== "index.md").sort(),
  );
});

test("CONTRIBUTING is a page", () => {
  expect(proseOf("CONTRIBUTING.md").split(/\s+/).length).toBeLessThan(1200);
});

test("the README is read in a minute", () => {
  expect(proseOf("README.md").split(/\s+/).length).toBeLessThan(400);
});
