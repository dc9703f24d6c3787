// `npm run format`: writes the lists of names that follow from other files (names.mjs), and every file as Biome and
// clang-format lay it out. `--check` changes nothing, names the files that differ, and fails.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { nameLists } from "./names.mjs";
import { root, venv } from "./setup.mjs";

const isCheck = process.argv.includes("--check");
const ignored = new Set(
  readFileSync(join(root, ".gitignore"), "utf8")
    .split("\n")
    .map((line) => line.replace(/\/$/, "")),
);

function* cppFiles(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (ignored.has(entry.name) || entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) yield* cppFiles(path);
    else if (/\.(cc|h|cu|cuh)$/.test(entry.name)) yield path;
  }
}

function succeeds(command, args) {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  return status === 0;
}

/** Whether the lists are what follows, or have been written. */
function listsAreCurrent() {
  const outdated = nameLists().filter(([path, text]) => readFileSync(path, "utf8") !== text);
  for (const [path, text] of outdated)
    if (isCheck) console.error(`${relative(root, path)} lacks names that its sources have, or has others.`);
    else writeFileSync(path, text);
  return !isCheck || outdated.length === 0;
}

const biome = join(root, "node_modules", ".bin", "biome");
const results = [
  listsAreCurrent(),
  succeeds(biome, ["format", ...(isCheck ? [] : ["--write"]), "."]),
  succeeds(join(venv, "bin", "clang-format"), [
    ...(isCheck ? ["--dry-run", "-Werror"] : ["-i"]),
    ...cppFiles("native"),
    ...cppFiles("test"),
  ]),
];
if (isCheck && results.includes(false))
  console.error("Some files are not as the formatters write them: npm run format");
process.exit(results.includes(false) ? 1 : 0);
