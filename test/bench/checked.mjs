// What checking costs: textbook kernels at sizes of teaching, checked beside unchecked in one run, taken in turns, the
// worst first. A run is a launch and the wait for it. Prints one JSON object per figure.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, print } from "./common/devices.mjs";
import { kernelsOf, source } from "./common/checked-kernels.mjs";

const scratch = mkdtempSync(join(tmpdir(), "warpcell-bench-"));
process.env.XDG_CACHE_HOME = scratch; // a cold cache, thrown away
const warpcell = await import("warpcell");

const device = "cpu";
const rounds = 7;
const limit = 20;

const plain = (await warpcell.compile(source, { device, name: "plain.cu" })).kernels;
const checked = (await warpcell.compile(source, { device, check: true, name: "checked.cu" })).kernels;

async function milliseconds(kernel, config, args) {
  const start = performance.now();
  kernel.launch(config, ...args);
  await warpcell.synchronize();
  return performance.now() - start;
}

const figures = [];
for (const { name, kernel, config, args } of kernelsOf(warpcell, device)) {
  const [ours, theirs] = [[], []];
  for (let round = -2; round < rounds; round++) {
    const times = [await milliseconds(checked[kernel], config, args), await milliseconds(plain[kernel], config, args)];
    if (round < 0) continue; // memory that is used for the first time
    ours.push(times[0]);
    theirs.push(times[1]);
  }
  figures.push({ name, ours: median(ours), rival: median(theirs), note: plain[kernel].info.execution });
}
figures.sort((a, b) => b.ours / b.rival - a.ours / a.rival);
for (const { ours, rival, ...rest } of figures)
  print({ ...rest, unit: "ms", ours, rival, ratio: ours / rival, limit, better: "lower" });
rmSync(scratch, { recursive: true, force: true });
