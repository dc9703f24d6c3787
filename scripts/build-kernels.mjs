// Compiles the library's own kernels ahead of time, a file per unit (native/lib/ops/kernels/library.ts) and
// architecture, once the constants that the library must know of them are worked out
// (native/lib/ops/kernels/kernel-facts.ts). What is there is left alone as long as the files that its compiler read have
// not changed. `node scripts/build-kernels.mjs [ARCHITECTURE…]`: x86-64-v3, x86-64-v4, or sm_80, sm_90a … with NVRTC;
// "gpu" is that of this machine's first GPU; without any, the best of this machine's processor.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "native", "dist");

// What a loop over a range needs to become vectors of the whole width; and no lines of the source, which name folders
// of this machine and are a third of the bytes.
const flags = ["-O3", "-fno-semantic-interposition", "-g0"];
const machine = { "x86-64-v3": ["-march=x86-64-v3"], "x86-64-v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"] };

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) yield join(entry.parentPath, entry.name);
}

// Where the options of machine code are written, and what stands around it.
const compilers = {
  host: ["cpu/compile/artifact.cc", "cpu/compile/cell_compiler.cc"],
  gpu: ["cuda/compile/compile_options.cc", "cuda/compile/nvrtc.cc"],
};

const hashOf = (...texts) =>
  texts.reduce((hash, text) => hash.update(text).update("\0"), createHash("sha256")).digest("hex");
const device = join(root, "native", "device");

/** What decides how every unit is compiled: where the options are written, and what they are. */
const translations = {};
const translationOf = (isHost) =>
  (translations[isHost] ??= hashOf(
    ...compilers[isHost ? "host" : "gpu"].map((name) => readFileSync(join(root, "native", "engine", name))),
    isHost ? JSON.stringify([flags, machine]) : "",
  ));

const contents = new Map();
/** The hash of a file under native/device; empty where there is none. */
function contentOf(name) {
  let known = contents.get(name);
  if (known === undefined)
    contents.set(name, (known = existsSync(join(device, name)) ? hashOf(readFileSync(join(device, name))) : ""));
  return known;
}

/**
 * The files of the project that a compilation read. Those of the compiler and the system come with the compiler; one
 * that does not say what it read may have read all of them.
 */
function readsOf(paths) {
  const files =
    paths === null
      ? [...filesBelow(device)]
      : paths.map((path) => resolve(path)).filter((path) => path.startsWith(device + sep));
  return [...new Set(files.map((path) => relative(device, path)))].sort();
}

/** What a unit was made of: how, what its source reads, and by which compiler. */
const printOf = (parts, source, isHost, compiler, reads) => ({
  made: hashOf(translationOf(isHost), source, parts.map((expressions) => expressions.join("\n")).join("\n\n")),
  compiler: compiler === null ? null : isHost ? JSON.stringify(compiler) : `${compiler.name} ${compiler.version}`,
  reads: Object.fromEntries(reads.map((name) => [name, contentOf(name)])),
});

/** The print beside a unit that is there, or `null`. */
function readPrint(path) {
  if (!existsSync(`${path}.print`) || !existsSync(`${path}.names`)) return null;
  return readJson(`${path}.print`);
}

/** What a file says, or `null` where it is none. */
function readJson(path) {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Whether a unit that is there is still right. For a GPU the compiler stands apart from the sources: where those have
 * changed must be known without one, too.
 */
const isCurrent = (path, parts, source, isHost, compiler) =>
  isPrintOf(readPrint(path), parts, source, isHost, compiler);

function isPrintOf(known, parts, source, isHost, compiler) {
  if (typeof known?.reads !== "object") return false;
  const now = printOf(parts, source, isHost, compiler, Object.keys(known.reads));
  return (
    known.made === now.made &&
    (compiler === null || known.compiler === now.compiler) &&
    Object.entries(now.reads).every(([name, content]) => content !== "" && known.reads[name] === content)
  );
}

// In front of numbers in an object, where nothing else looks like it.
const mark = ["0x7b5a1c9e3d24f806LL", "0x19e6d4a2c05b738fLL"];
const markBytes = Buffer.from(new BigInt64Array(mark.map((word) => BigInt(word.slice(0, -2)))).buffer);

/**
 * The values of constants at the end of a file, as where one thread has a block and where many share it (both, where
 * they differ), and what the compiler read. Throws CompileError, which names a constant that is none, and Error for one
 * that is another for another processor: kernels of all processors meet in one bundle.
 */
export async function workOut(file, source, texts) {
  const serial = await constantsOf(file, source, texts, machine["x86-64-v3"]);
  const wider = await constantsOf(file, source, texts, machine["x86-64-v4"]);
  for (const text of texts)
    if (serial.values[text] !== wider.values[text])
      throw new Error(
        `${text} of ${file}.cu is ${serial.values[text]} for x86-64-v3 and ${wider.values[text]} for x86-64-v4, but the library takes one number: let it not depend on the processor's vectors.`,
      );
  const threads = await constantsOf(file, `#undef WARPCELL_SERIAL\n${source}`, texts);
  const values = texts.map((text) => {
    const both = { serial: serial.values[text], threads: threads.values[text] };
    return [text, both.serial === both.threads ? both.serial : both];
  });
  return { values: Object.fromEntries(values), reads: [...new Set([...serial.reads, ...threads.reads])].sort() };
}

async function constantsOf(file, source, texts, target = []) {
  const { DeviceProcess } = await import(join(dist, "device", "process.js"));
  const { preamble } = await import(join(dist, "ops", "kernels", "kernel-facts.js"));
  const { unitOptions } = await import(join(dist, "ops", "kernels", "library.js"));
  const lines = texts.map((text) => `#line 1 "${text}, which the library asks ${file}.cu for"\n(long long)(${text}),`);
  const { artifact, dependencies } = DeviceProcess.get("cpu").request("compile", {
    source: `${source}
${preamble}
__attribute__((used)) static constexpr long long warpcell_facts[] = {${mark.join(", ")},
${lines.join("\n")}
};`,
    name: `${file}.cu`,
    headers: device,
    expressions: [],
    options: [
      "--library",
      ...["-O0", ...target].map((flag) => `--flag=${flag}`),
      ...unitOptions({ expressions: texts }).defines.map((define) => `--define=${define}`),
    ],
  });
  const at = Buffer.from(artifact).indexOf(markBytes) + markBytes.length;
  const words = new BigInt64Array(Uint8Array.from(artifact.subarray(at, at + 8 * texts.length)).buffer);
  const values = Object.fromEntries(texts.map((text, index) => [text, Number(words[index])]));
  for (const [index, text] of texts.entries())
    if (BigInt(values[text]) !== words[index])
      throw new Error(`${text} of ${file}.cu is ${words[index]}, which no number of JavaScript is.`);
  return { values, reads: readsOf(dependencies) };
}

/** Works out the constants of all files of which something has changed. */
async function makeFacts(log) {
  await import(join(dist, "index.js"));
  const { DeviceProcess } = await import(join(dist, "device", "process.js"));
  const { kernelFile } = await import(join(dist, "ops", "kernels", "library.js"));
  const { factTexts, factsFile, readFacts } = await import(join(dist, "ops", "kernels", "kernel-facts.js"));
  const { compiler } = DeviceProcess.get("cpu").properties;
  const path = factsFile();
  const [known, prints] = [readJson(path) ?? {}, readJson(`${path}.print`) ?? {}];
  const [facts, made] = [{}, {}];
  for (const [file, texts] of factTexts()) {
    const source = kernelFile(file);
    const isKnown = file in known && isPrintOf(prints[file], [texts], source, true, compiler);
    if (isKnown) {
      [facts[file], made[file]] = [known[file], prints[file]];
      continue;
    }
    const { values, reads } = await workOut(file, source, texts);
    facts[file] = values;
    made[file] = printOf([texts], source, true, compiler, reads);
    log(`${file}.cu: ${texts.length} constants`);
  }
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(`${path}.print`, JSON.stringify(made));
  replaceFile(path, `${JSON.stringify(facts, null, 2)}\n`);
  readFacts(path);
}

/** Whole or not at all. */
function replaceFile(path, content) {
  writeFileSync(`${path}.part`, content);
  renameSync(`${path}.part`, path);
}

async function compileUnits(units, log) {
  const { DeviceProcess } = await import(join(dist, "device", "process.js"));
  const { namesText, partFile, unitArtifact, unitOptions, unitParts, unitSource } = await import(
    join(dist, "ops", "kernels", "library.js")
  );
  for (const { unit, architecture } of units) {
    const isHost = architecture in machine;
    // One process for all GPUs, which takes hundreds of megabytes: its own architecture counts only where a request
    // names none.
    const compiler = isHost ? DeviceProcess.get("cpu") : DeviceProcess.get("nvrtc", 80);
    const path = unitArtifact(architecture, unit);
    const source = unitSource(unit);
    const parts = unitParts(unit);
    if (isCurrent(path, parts, source, isHost, compiler.properties.compiler)) continue;
    const started = Date.now();
    const options = [
      ...unitOptions(unit).defines.map((define) => `--define=${define}`),
      "--library",
      ...(isHost ? [...flags, ...machine[architecture]].map((flag) => `--flag=${flag}`) : [`--arch=${architecture}`]),
    ];
    mkdirSync(dirname(path), { recursive: true });
    const names = [],
      reads = new Set();
    for (const [part, expressions] of parts.entries()) {
      const { artifact, lowered, dependencies } = compiler.request("compile", {
        source,
        name: `${unit.file}.cu`,
        headers: device,
        expressions,
        options,
      });
      for (const name of readsOf(dependencies)) reads.add(name);
      names.push(...lowered);
      rmSync(`${path}.names`, { force: true });
      replaceFile(partFile(path, part), artifact);
    }
    writeFileSync(
      `${path}.print`,
      JSON.stringify(printOf(parts, source, isHost, compiler.properties.compiler, [...reads])),
    );
    writeFileSync(`${path}.names`, namesText(unit, names));
    log(
      `${architecture}/${unit.file}.${unit.dtype}: ${unit.expressions.length} kernels, ${((Date.now() - started) / 1000).toFixed(1)} s`,
    );
  }
}

/**
 * Removes what was made of units that are no more, and for GPUs of sources that have changed since: a device would take
 * it.
 */
export async function removeOutdated(wanted, log) {
  const { kernelsFolder } = await import(join(dist, "wire", "binding.js"));
  const { unitParts, unitSource } = await import(join(dist, "ops", "kernels", "library.js"));
  const units = new Map((await allUnits()).map((unit) => [`${unit.file}.${unit.dtype}`, unit]));
  const present = existsSync(kernelsFolder) ? readdirSync(kernelsFolder) : [];
  for (const architecture of present.filter((name) => name in machine || name.startsWith("sm_"))) {
    const isHost = architecture in machine;
    const files = readdirSync(join(kernelsFolder, architecture));
    const names = [...new Set(files.map((name) => name.split(".").slice(0, 2).join(".")))];
    const outdated = names.filter((name) => {
      const unit = units.get(name);
      return (
        unit === undefined ||
        (!isHost && !isCurrent(join(kernelsFolder, architecture, name), unitParts(unit), unitSource(unit), false, null))
      );
    });
    for (const file of files)
      if (outdated.some((name) => file === name || file.startsWith(`${name}.`)))
        rmSync(join(kernelsFolder, architecture, file), { force: true });
    if (outdated.length > 0 && !isHost && !wanted.includes(architecture))
      log(
        `${architecture}: removed ${outdated.length} of ${names.length} files, whose sources have changed. "node scripts/build-kernels.mjs ${architecture}" makes them again.`,
      );
  }
}

/**
 * What a bundle's kernels are made for. A GPU runs code for the lower versions of its generation
 * (native/lib/wire/architectures.ts), so these serve every one from Ampere to Blackwell.
 */
export const shipped = { processors: Object.keys(machine), gpus: ["sm_80", "sm_90a", "sm_100", "sm_120"] };

/** Every unit, or those of an architecture, once all of the library has said which kernels it has. */
export async function allUnits(architecture) {
  await import(join(dist, "index.js"));
  const { libraryUnits } = await import(join(dist, "ops", "kernels", "library.js"));
  return libraryUnits(architecture);
}

/**
 * Units of an architecture that are missing, or of which something has changed that they were made of; by which
 * compiler does not count.
 */
export async function outdatedUnits(architecture) {
  const { unitArtifact, unitParts, unitSource } = await import(join(dist, "ops", "kernels", "library.js"));
  return (await allUnits(architecture))
    .filter(
      (unit) =>
        !isCurrent(unitArtifact(architecture, unit), unitParts(unit), unitSource(unit), architecture in machine, null),
    )
    .map(({ file, dtype }) => `${file}.${dtype}`);
}

async function unitsFor(architectures) {
  const units = await Promise.all(
    architectures.map(async (architecture) => (await allUnits(architecture)).map((unit) => ({ unit, architecture }))),
  );
  // The large ones first, so that the last process to end has little left.
  return units.flat().sort((a, b) => b.unit.expressions.length - a.unit.expressions.length);
}

export async function buildKernels(architectures = [], log = () => undefined) {
  const { DeviceProcess } = await import(join(dist, "device", "process.js"));
  const gpu = architectures.includes("gpu") ? DeviceProcess.get("cuda").properties : null;
  const named = architectures.map((name) => (name === "gpu" ? gpu.arch : name));
  const wanted = named.length > 0 ? named : DeviceProcess.get("cpu").properties.architectures.slice(0, 1);
  // The NVRTC that its cells are compiled with, not one that is newer than its driver.
  const env = { ...(gpu?.compiler && { WARPCELL_NVRTC: gpu.compiler.path }), ...process.env };
  await makeFacts(log);
  await removeOutdated(wanted, log);
  const shards = availableParallelism();
  await Promise.all(
    Array.from(
      { length: shards },
      (_, shard) =>
        new Promise((resolve, reject) => {
          const child = fork(fileURLToPath(import.meta.url), ["--shard", `${shard}/${shards}`, ...wanted], {
            stdio: ["ignore", "pipe", "pipe", "ipc"],
            env,
          });
          let output = "";
          child.stdout.on("data", (chunk) => log(String(chunk).trimEnd()));
          child.stderr.on("data", (chunk) => (output += chunk));
          child.on("close", (code) =>
            code === 0 ? resolve() : reject(new Error(`The library's kernels did not compile:\n${output}`)),
          );
        }),
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const shard = process.argv.indexOf("--shard");
  if (shard >= 0) {
    const [index, count] = process.argv[shard + 1].split("/").map(Number);
    const units = await unitsFor(process.argv.slice(shard + 2));
    await compileUnits(
      units.filter((_, at) => at % count === index),
      (line) => console.log(line),
    ).catch((error) => {
      console.error(error.message, error.log ?? "");
      process.exit(1);
    });
    process.exit(0);
  }
  await buildKernels(process.argv.slice(2), (line) => console.log(line));
  process.exit(0);
}
