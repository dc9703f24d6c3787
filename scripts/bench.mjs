// `npm run bench [-- NAME … [--OPTION …]]`: runs test/bench/ and prints each figure beside its rival or limit, measured
// in the same run. Options are the benchmarks' own, such as `-- shapes --quick --only softmax`. Exits 1 when one does
// not hold.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { rivals } from "./rivals.mjs";
import { environment, python, root, setup } from "./setup.mjs";

const folder = join(root, "test", "bench");
const interpreters = { ".py": python, ".mjs": process.execPath };
const words = process.argv.slice(2);
const firstOption = words.findIndex((word) => word.startsWith("--"));
const wanted = firstOption === -1 ? words : words.slice(0, firstOption);
/** Among all the others a sample of the grid is enough: the whole takes hours. */
const options = wanted.length === 0 ? ["--quick"] : firstOption === -1 ? [] : words.slice(firstOption);

const takesOptions = (file) => parse(file).name === "shapes";

/**
 * A benchmark prints one JSON object per line: {name, unit, ours, rival, ratio, limit, better, note}; other lines are
 * passed on.
 */
function figures(file, show) {
  return new Promise((resolve, reject) => {
    const child = spawn(
      interpreters[parse(file).ext],
      [...(file.endsWith(".py") ? [] : ["--expose-gc"]), join(folder, file), ...(takesOptions(file) ? options : [])],
      { cwd: root, env: environment(), stdio: ["ignore", "pipe", "inherit"] },
    );
    let rest = "";
    child.stdout.on("data", (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) show(line.startsWith("{") ? JSON.parse(line) : line);
    });
    child.on("error", reject);
    child.on("close", resolve);
  });
}

const holds = ({ ratio, ours, limit, better, absolute }) => {
  if (limit === null || limit === undefined) return true;
  const value = absolute ? ours : ratio;
  return better === "lower" ? value <= limit : value >= limit;
};

const number = (value) =>
  value === null || value === undefined ? "–" : value >= 100 ? value.toFixed(0) : value.toPrecision(3);

let broken = 0;
function show(figure) {
  if (typeof figure === "string") return console.log(figure);
  const { name, unit, ours, rival, ratio, limit, better, note = "", absolute } = figure;
  const sign = better === "lower" ? "≤" : "≥";
  const bound =
    limit === null || limit === undefined ? "" : absolute ? `${sign} ${limit} ${unit}` : `${sign} ${limit} ×`;
  const ok = holds(figure);
  if (!ok) broken++;
  const verdict = bound === "" ? " " : ok ? "✓" : "✗";
  console.log(
    `${verdict} ${name.padEnd(44)} ${`${number(ours)} ${unit}`.padStart(12)} ${(rival === undefined ? "" : `vs ${number(rival)}`).padStart(11)} ${(ratio === undefined ? "" : `${number(ratio)} ×`).padStart(9)}  ${bound.padEnd(12)} ${note}`,
  );
}

await setup();
const files = readdirSync(folder)
  .filter((file) => parse(file).ext in interpreters)
  .sort();
const chosen = wanted.length === 0 ? files : files.filter((file) => wanted.includes(parse(file).name));
if (chosen.length === 0) {
  console.error(
    `There is no benchmark ${wanted.join(" ")}: there are ${files.map((file) => parse(file).name).join(", ")}.`,
  );
  process.exit(1);
}
// Those that compare arrays; a Python that is named is taken as it is.
if (
  process.env.WARPCELL_RIVAL_PYTHON === undefined &&
  chosen.some((file) => ["linalg", "matmul", "shapes", "tensors"].includes(parse(file).name))
)
  await rivals();
for (const file of chosen) {
  console.log(`── ${parse(file).name}`);
  if ((await figures(file, show)) !== 0) broken++;
}
process.exit(broken === 0 ? 0 : 1);
