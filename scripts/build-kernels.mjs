// Compiles the library's own kernels ahead of time, a file per unit (native/lib/ops/library.ts) and architecture. A unit whose sources have not changed is left alone.
// `node scripts/build-kernels.mjs [ARCHITECTURE…]`: x86-64-v3, x86-64-v4, or sm_80, sm_90a … with NVRTC; without any, the best of this machine.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "native", "dist");

// What a loop over a range needs to become vectors of the whole width.
const flags = ["-O3", "-fno-semantic-interposition"];
const machine = { "x86-64-v3": ["-march=x86-64-v3"], "x86-64-v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"] };

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) if (entry.isFile()) yield join(entry.parentPath, entry.name);
}

/** One hash of all that decides what a unit becomes, its own text apart. */
function surroundings() {
  const hash = createHash("sha256");
  const device = join(root, "native", "device");
  for (const folder of ["include", "cpu", "cuda"]) for (const file of [...filesBelow(join(device, folder))].sort()) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest("hex");
}

async function compileUnits(units, log) {
  const { DeviceProcess } = await import(join(dist, "device", "process.js"));
  const { Op } = await import(join(dist, "wire", "commands.js"));
  const { unitArtifact, unitOptions, unitSource } = await import(join(dist, "ops", "library.js"));
  const around = createHash("sha256").update(surroundings()).update(JSON.stringify([flags, machine])).digest("hex");
  for (const { unit, architecture } of units) {
    const isHost = architecture in machine;
    const compiler = isHost ? DeviceProcess.get("cpu") : DeviceProcess.get("nvrtc", Number(/^sm_(\d+)/.exec(architecture)[1]));
    const path = unitArtifact(architecture, unit);
    const source = unitSource(unit.file);
    const print = createHash("sha256").update(around).update(JSON.stringify(compiler.properties.compiler)).update(source).update(unit.expressions.join("\n")).digest("hex");
    if (existsSync(`${path}.print`) && existsSync(`${path}.names`) && readFileSync(`${path}.print`, "utf8") === print) continue;
    const started = Date.now();
    const options = [...unitOptions(unit).defines.map((define) => `--define=${define}`), ...(isHost ? [...flags, ...machine[architecture]].map((flag) => `--flag=${flag}`) : [])];
    const [, artifact, lowered] = compiler.request(Op.compile, [source, `${unit.file}.cu`, join(root, "native", "device"), unit.expressions.join("\n"), ...options]);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(`${path}.names`, { force: true });
    writeFileSync(`${path}.part`, artifact);
    renameSync(`${path}.part`, path);
    writeFileSync(`${path}.print`, print);
    writeFileSync(`${path}.names`, lowered);
    log(`${architecture}/${unit.file}.${unit.dtype}: ${unit.expressions.length} kernels, ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
}

async function unitsFor(architectures) {
  await import(join(dist, "index.js"));
  const { libraryUnits } = await import(join(dist, "ops", "library.js"));
  // The large ones first, so that the last process to end has little left.
  return architectures.flatMap((architecture) => libraryUnits().map((unit) => ({ unit, architecture }))).sort((a, b) => b.unit.expressions.length - a.unit.expressions.length);
}

export async function buildKernels(architectures = [], log = () => undefined) {
  const { DeviceProcess } = await import(join(dist, "device", "process.js"));
  const wanted = architectures.length > 0 ? architectures : DeviceProcess.get("cpu").properties.architectures.slice(0, 1);
  const shards = availableParallelism();
  await Promise.all(Array.from({ length: shards }, (_, shard) => new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ["--shard", `${shard}/${shards}`, ...wanted], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    let output = "";
    child.stdout.on("data", (chunk) => log(String(chunk).trimEnd()));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`The library's kernels did not compile:\n${output}`))));
  })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const shard = process.argv.indexOf("--shard");
  if (shard >= 0) {
    const [index, count] = process.argv[shard + 1].split("/").map(Number);
    const units = await unitsFor(process.argv.slice(shard + 2));
    await compileUnits(units.filter((_, at) => at % count === index), (line) => console.log(line)).catch((error) => {
      console.error(error.message, error.log ?? "");
      process.exit(1);
    });
    process.exit(0);
  }
  await buildKernels(process.argv.slice(2), (line) => console.log(line));
  process.exit(0);
}
