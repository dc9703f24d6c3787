// `npm run bundle`: makes dist/warpcell-linux-x64.tar.xz, all that runs cells and GPU tests on a machine with no
// network, no Node and no Jupyter, and beside it an archive for each generation of GPUs with the library's kernels, to
// be unpacked into the same folder (warpcell-linux-x64-sm_90a.tar.xz); a GPU without them compiles them one by one at
// their first use. The bundle keeps the repository's layout, with Node's own binary in bin/, so that every relative
// path holds. `--as-built` takes what is built and builds nothing, `--without-cubins` makes the first archive alone.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { allUnits, shipped } from "./build-kernels.mjs";
import { obtainNvrtc } from "./nvrtc.mjs";
import { onSignals, python, quietly, root, setup, statuses } from "./setup.mjs";

// What one machine takes: the bundle with the kernels of one generation of GPUs.
const limit = 60e6;
const name = `warpcell-linux-${process.arch}`;
mkdirSync(join(root, "dist"), { recursive: true });
// A folder of this run's own: two runs at a time do not meet, and the archive appears whole or not at all.
const workshop = mkdtempSync(join(root, "dist", ".bundle-"));
process.on("exit", () => rmSync(workshop, { recursive: true, force: true }));
const stage = join(workshop, name);
const outputOf = (gpu = "") => join(root, "dist", `${name}${gpu && `-${gpu}`}.tar.xz`);

const packageOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

// Packages that nothing here loads: vite takes lightningcss for style sheets only, the others are types or headers for
// a build. The library itself is copied by name.
const leftOut = new Set(["warpcell", "node-addon-api", "lightningcss", "@oxc-project/types"]);

/**
 * Folders of the named packages and of all they need at run time, as Node resolves them from `from`. Optional ones that
 * this machine's platform lacks are left out.
 */
function closure(names, from, found = new Map()) {
  for (const name of names) {
    let at = from;
    while (!existsSync(join(at, "node_modules", name)) && at !== dirname(at)) at = dirname(at);
    const folder = join(at, "node_modules", name);
    if (leftOut.has(name) || !existsSync(folder) || found.has(folder)) continue;
    const description = packageOf(folder);
    found.set(folder, name);
    // Types that a package names for its own checker.
    closure(
      [...Object.keys(description.dependencies ?? {}), ...Object.keys(description.optionalDependencies ?? {})].filter(
        (dependency) => !dependency.startsWith("@types/"),
      ),
      folder,
      found,
    );
  }
  return found;
}

// What a package carries for people, for other platforms, for its own build or for a checker that only the cells need.
const unneeded = [
  /\.map$/,
  /\.md$/i,
  /\.markdown$/,
  /\.d\.[cm]ts$/,
  /\.wasm$/,
  /\.tsbuildinfo$/,
  /[\\/](docs?|examples?|\.github)[\\/]/,
];
const typesOfCells = /node_modules[\\/](@types[\\/]node|undici-types|@typescript)[\\/]|[\\/]native[\\/]/;
// Files of a package that run here, where most do not.
const runs = {
  zeromq: [/^package\.json$/, /^LICENSE/, /^lib\//],
  "apache-arrow": [/^package\.json$/, /^LICENSE/, /^NOTICE/, /\.mjs$/],
  fzstd: [/^package\.json$/, /^LICENSE/, /^esm\//],
  hyparquet: [/^package\.json$/, /^LICENSE/, /^src\/.*\.js$/],
  "jpeg-js": [/^package\.json$/, /^LICENSE/, /^index\.js$/, /^lib\/.*\.js$/],
  papaparse: [/^package\.json$/, /^LICENSE/, /^papaparse\.js$/],
  "cmake-ts": [/^package\.json$/, /^LICENSE/, /^build\/loader\.[cm]?js$/],
};
// The checkout itself may lie in a folder of such a name.
const keep = (path) => {
  const name = join(sep, relative(root, path));
  return (
    statSync(path).isDirectory() ||
    !(unneeded.some((pattern) => pattern.test(name)) || (name.endsWith(".d.ts") && !typesOfCells.test(name)))
  );
};
const keepOf = (name, folder) => (source) =>
  keep(source) &&
  !source.slice(folder.length).includes(`${sep}node_modules`) &&
  (!Object.hasOwn(runs, name) ||
    statSync(source).isDirectory() ||
    runs[name].some((pattern) => pattern.test(relative(folder, source))));

const copy = (path, filter = () => true) =>
  cpSync(join(root, path), join(stage, path), {
    recursive: true,
    filter: (source) => filter(source),
    verbatimSymlinks: true,
  });

const launcher = `#!/bin/sh
# Runs warpcell with the Node binary beside it.
here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
exec "$here/bin/node" "$here/kernel/dist/main.js" "$@"
`;

const installer = `#!/bin/sh
# Installs this bundle: ./install.sh [PREFIX], by default ~/.local. Needs nothing but a shell; run it again to upgrade.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -le 1 ] || { echo "install.sh takes one folder to install in but got $*. Usage: ./install.sh [PREFIX]" >&2; exit 2; }
case "\${1:-}" in -*) echo "install.sh takes a folder to install in (by default ~/.local) but got $1. Usage: ./install.sh [PREFIX]" >&2; exit 2 ;; esac
[ -n "\${1:-\${HOME:-}}" ] || { echo "There is no home directory to install in: HOME is not set. Name a folder: ./install.sh PREFIX" >&2; exit 2; }
prefix=\${1:-$HOME/.local}
refuse() { echo "The installation cannot be written in $prefix: see above. Name another folder: ./install.sh PREFIX" >&2; exit 1; }
mkdir -p "$prefix/lib" "$prefix/bin" || refuse
prefix=$(cd "$prefix" && pwd)
# An earlier installation stays until the new one is whole; half of one does not.
trap 'rm -rf "$prefix/lib/warpcell.new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
rm -rf "$prefix/lib/warpcell.new"
cp -R "$here" "$prefix/lib/warpcell.new" || refuse
rm -rf "$prefix/lib/warpcell"
mv "$prefix/lib/warpcell.new" "$prefix/lib/warpcell"
ln -sf "$prefix/lib/warpcell/bin/warpcell" "$prefix/bin/warpcell"
echo "Installed $prefix/bin/warpcell. Next:"
echo "  $prefix/bin/warpcell doctor             what this machine has"
echo "  $prefix/bin/warpcell run NOTEBOOK.ipynb runs a notebook without Jupyter"
echo "  $prefix/bin/warpcell test gpu           the tests, on this machine's GPU (test cpu: on the CPU)"
echo "  $prefix/bin/warpcell bench              what launches, compiles and recoveries cost on each device"
echo "  $prefix/bin/warpcell install --user     registers the kernel with Jupyter"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "$prefix/bin is not on your PATH." ;; esac
`;

function assemble() {
  mkdirSync(join(stage, "bin"), { recursive: true });
  cpSync(process.execPath, join(stage, "bin", "node"), { dereference: true });
  writeFileSync(join(stage, "bin", "warpcell"), launcher, { mode: 0o755 });
  writeFileSync(join(stage, "install.sh"), installer, { mode: 0o755 });

  copy("README.md");
  for (const path of [
    "LICENSE",
    "package.json",
    "vitest.config.mts",
    "native/package.json",
    "native/dist",
    "native/device",
    "native/lib",
    "native/protocol",
    "kernel/package.json",
    "kernel/dist",
    "kernel/kernelspec",
    ...["extension/labextension"].filter((path) => existsSync(join(root, path))),
    "test/device",
    "test/helpers",
    "test/bench",
    "kernel/language",
    "scripts/declarations.mjs",
  ]) {
    copy(path, keep);
  }
  copyNotebooks();
  // Tests run the lines of the guides.
  copy("docs/guides");
  // What tests make a GPU of.
  copy("native/engine/cuda", (path) => !path.endsWith(".cc"));
  for (const program of ["addon.node", "warpcell-device"]) copy(`native/build/Release/${program}`);
  copyOpenBlas();
  for (const architecture of built()) copy(join(kernels, architecture), (path) => !path.endsWith(".print"));
  copy(join(kernels, "facts.json"));

  const folders = closure(
    [...Object.keys(packageOf(join(root, "kernel")).dependencies), "vitest", "@types/node"],
    join(root, "kernel"),
  );
  closure(Object.keys(packageOf(join(root, "native")).dependencies), join(root, "native"), folders);
  for (const [folder, name] of folders) copy(relative(root, folder), keepOf(name, folder));
  copyZeromqAddon();
  symlinkSync(join("..", "native"), join(stage, "node_modules", "warpcell"));
  symlinkSync(join("..", "kernel"), join(stage, "node_modules", "warpcell-kernel"));
  const release = join("native", "build", "Release");
  const ofProcessors = built()
    .filter((name) => shipped.processors.includes(name))
    .flatMap((name) =>
      readdirSync(join(stage, kernels, name))
        .filter((file) => !file.endsWith(".names"))
        .map((file) => join(kernels, name, file)),
    );
  stripNames(["bin/node", join(release, "warpcell-device"), join(release, "libscipy_openblas.so"), ...ofProcessors]);
}

/** Names for debuggers are an eighth of Node's binary, and a seventh of kernels for processors. */
function stripNames(programs) {
  requireEnd(spawnSync("strip", ["--strip-unneeded", ...programs], { encoding: "utf8", cwd: stage }));
}

/** Without their outputs, which a run makes again: the pictures among them do not compress. */
function copyNotebooks() {
  copy("notebooks");
  for (const entry of readdirSync(join(stage, "notebooks"), { recursive: true })) {
    if (!entry.endsWith(".ipynb")) continue;
    const path = join(stage, "notebooks", entry);
    const notebook = JSON.parse(readFileSync(path, "utf8"));
    for (const cell of notebook.cells)
      if (cell.cell_type === "code") Object.assign(cell, { outputs: [], execution_count: null });
    writeFileSync(path, `${JSON.stringify(notebook, null, 1)}\n`);
  }
}

/** Python's wheel of OpenBLAS, beside the program that opens it. */
function copyOpenBlas() {
  const answer = spawnSync(
    python,
    [
      "-c",
      "import scipy_openblas32 as wheel, importlib.metadata as data; print(wheel.get_lib_dir(), data.distribution('scipy-openblas32').locate_file(''), sep='\\n')",
    ],
    { encoding: "utf8" },
  );
  if (answer.status !== 0)
    throw new Error(
      `The bundle takes OpenBLAS from .venv, which has none: ${answer.stderr.trim()} Run "npm run build".`,
    );
  const [libraries, packages] = answer.stdout.trim().split("\n");
  const release = join(stage, "native", "build", "Release");
  cpSync(join(libraries, "libscipy_openblas.so"), join(release, "libscipy_openblas.so"));
  const about = readdirSync(packages).find((entry) => /^scipy_openblas32-.*\.dist-info$/.test(entry));
  cpSync(join(packages, about, "licenses", "LICENSE.txt"), join(release, "libscipy_openblas.LICENSE.txt"));
}

/**
 * zeromq carries an addon for each platform; its loader takes the one of the newest ABI first, which fits every Node,
 * being an addon of Node-API. Only that one comes along.
 */
function copyZeromqAddon() {
  const build = join("node_modules", "zeromq", "build");
  const offered = Object.entries(JSON.parse(readFileSync(join(root, build, "manifest.json"), "utf8"))).map(
    ([key, path]) => ({ key, path, ...JSON.parse(key) }),
  );
  const [newest] = offered
    .filter(({ os, arch, libc }) => os === "linux" && arch === process.arch && libc === "glibc")
    .sort((a, b) => b.abi - a.abi);
  if (newest === undefined)
    throw new Error(
      `This zeromq carries no addon for linux ${process.arch} with glibc: its manifest lists none. Install another version of zeromq.`,
    );
  copy(join(build, newest.path));
  writeFileSync(join(stage, build, "manifest.json"), JSON.stringify({ [newest.key]: newest.path }));
}

function requireBuilt() {
  const lacking = [
    "native/build/Release/addon.node",
    "native/build/Release/warpcell-device",
    "native/dist/index.js",
    "kernel/dist/main.js",
    "native/build/Release/kernels/facts.json",
  ].filter((path) => !existsSync(join(root, path)));
  if (lacking.length > 0)
    throw new Error(
      `Not everything is built: there is no ${lacking.join(" and no ")}. Run "npm run build", or "npm run bundle" without --as-built.`,
    );
}

const kernels = join("native", "build", "Release", "kernels");
const withGpus = !process.argv.includes("--without-cubins");
const built = () => architectures.filter((name) => existsSync(join(root, kernels, name)));
const architectures = [...shipped.processors, ...(withGpus ? shipped.gpus : [])];

/**
 * Compiles the library's kernels for every machine that the bundle may come to; what has not changed since the last
 * time is left alone.
 */
async function buildKernels() {
  const variables = withGpus ? { WARPCELL_NVRTC: await obtainNvrtc() } : {};
  console.error(`… kernels for ${architectures.join(", ")}`);
  await quietly(process.execPath, [join("scripts", "build-kernels.mjs"), ...architectures], variables);
}

async function requireKernels() {
  if (!withGpus) return;
  const lacking = [];
  for (const architecture of shipped.gpus) {
    const names = (await allUnits(architecture)).map(({ file, dtype }) => `${file}.${dtype}.names`);
    if (names.some((name) => !existsSync(join(root, kernels, architecture, name)))) lacking.push(architecture);
  }
  if (lacking.length > 0)
    throw new Error(
      `Not all kernels are made for ${lacking.join(", ")}. Run "npm run bundle", which makes them, or leave them out with --without-cubins.`,
    );
}

function requireEnd({ status, stderr, error }) {
  if (status !== 0) throw error ?? new Error(stderr.trim());
}

function requirePackers() {
  const lacking = ["tar", "xz", "strip"].filter((program) => spawnSync(program, ["--version"]).status !== 0);
  if (lacking.length > 0)
    throw new Error(
      `Packing the bundle takes tar, xz and strip, but there is no ${lacking.join(" and no ")}. Install them with: sudo apt-get install tar xz-utils binutils`,
    );
}

/**
 * All entries by their paths, but kernels by their names and then by what they are for: the same kernel of another
 * processor is nearly the same bytes, and takes half the room beside it.
 */
function inOrder() {
  const entries = readdirSync(stage, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(workshop, join(entry.parentPath, entry.name)));
  const folder = join(name, kernels, sep);
  const keyOf = (path) => (path.startsWith(folder) ? `${folder}${basename(path)} ${path}` : path);
  const keyed = entries.map((path) => ({ path, key: keyOf(path) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ path }) => path);
}

/** Makes an archive of what `isIn` says of the paths in order. Returns its bytes. */
async function compress(output, isIn) {
  const [list, packed] = [join(workshop, "list"), join(workshop, "packed")];
  writeFileSync(list, inOrder().filter(isIn).join("\n"));
  await quietly("tar", [
    "-C",
    workshop,
    "--verbatim-files-from",
    `--files-from=${list}`,
    "--owner=0",
    "--group=0",
    `--use-compress-program=xz${process.arch === "x64" ? " --x86" : ""} --lzma2=preset=9,dict=64MiB`,
    "-cf",
    packed,
  ]);
  renameSync(packed, output);
  const { size } = statSync(output);
  console.log(`${relative(root, output)}: ${(size / 1e6).toFixed(1)} MB`);
  return size;
}

try {
  requirePackers();
  if (!process.argv.includes("--as-built")) {
    await setup();
    await buildKernels();
  }
  requireBuilt();
  await requireKernels();
  // Nothing of this process hears of a signal while it copies; one that came is heard at the next turn.
  const forget = onSignals((signal) => process.exit(statuses[signal]));
  assemble();
  await new Promise(setImmediate);
  forget();
  const gpus = withGpus ? shipped.gpus : [];
  const folderOf = (gpu) => join(name, kernels, gpu, sep);
  const bytes = await compress(outputOf(), (path) => !gpus.some((gpu) => path.startsWith(folderOf(gpu))));
  const added = [];
  for (const gpu of gpus) added.push(await compress(outputOf(gpu), (path) => path.startsWith(folderOf(gpu))));
  const most = bytes + Math.max(0, ...added);
  for (const entry of readdirSync(stage)) {
    const size = spawnSync("du", ["-sm", join(stage, entry)], { encoding: "utf8" }).stdout.split("\t")[0];
    console.log(`  ${entry.padEnd(14)} ${size} MB unpacked`);
  }
  if (most > limit)
    throw new Error(
      `The bundle and the kernels of one generation of GPUs have ${(most / 1e6).toFixed(1)} MB, more than the ${limit / 1e6} MB allowed. See above what grew.`,
    );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
