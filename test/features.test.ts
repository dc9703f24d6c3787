// The list of what there is: native/FEATURES.md has every number and names tests that exist.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const rows = [...read("native/FEATURES.md").matchAll(/^\| ([A-Z]-\d\d) \| (.*?) \| (.*?) ?\| (.*?) \|$/gm)].map(
  ([, id, name, ours, shown]) => ({ id: id!, name: name!.trim(), ours: ours!.trim(), shown: shown!.trim() }),
);

test("every feature has a row, once", () => {
  const counts = { T: 27, P: 21, V: 26, N: 14, D: 22 };
  const wanted = Object.entries(counts).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}-${String(index + 1).padStart(2, "0")}`),
  );
  expect(rows.map(({ id }) => id)).toEqual(wanted);
});

test("what is not open names what is ours, and a test that exists", () => {
  const wrong = rows.filter(({ shown, ours }) => {
    if (shown === "open") return false;
    const [file, words] = shown.split(" › ");
    const path = file!.includes("/") ? file! : `test/device/${file}`;
    return ours === "" || !existsSync(join(root, path)) || (words !== undefined && !read(path).includes(words));
  });
  expect(wrong).toEqual([]);
});
