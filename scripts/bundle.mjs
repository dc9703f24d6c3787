// `npm run bundle`: makes dist/warpcell-linux-x64.tar.xz, all that runs cells and GPU tests on a machine with no network, no Node and no Jupyter. The bundle keeps the
// repository's layout, with Node's own binary in bin/, so that every relative path holds.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { root, setup } from "./setup.mjs";

const limit = 55e6;
const name = `warpcell-linux-${process.arch}`;
const output = join(root, "dist", `${name}.tar.xz`);
const stage = join(root, "dist", name);

const packageOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Folders of the named packages and of all they need at run time, as Node resolves them from `from`. Optional ones that this machine's platform lacks are left out. */
function closure(names, from, found = new Map()) {
  for (const name of names) {
    let at = from;
    while (!existsSync(join(at, "node_modules", name)) && at !== dirname(at)) at = dirname(at);
    const folder = join(at, "node_modules", name);
    if (!existsSync(folder) || found.has(folder)) continue;
    const description = packageOf(folder);
    found.set(folder, name);
    closure([...Object.keys(description.dependencies ?? {}), ...Object.keys(description.optionalDependencies ?? {})], folder, found);
  }
  return found;
}

// What a package carries for people, for other platforms or for its own build.
const unneeded = [/\.map$/, /\.md$/, /\.markdown$/, /\.d\.mts$/, /[\\/](docs?|examples?|\.github)[\\/]/];
const zeromqKeeps = [`linux${sep}${process.arch}${sep}node${sep}glibc-${process.versions.modules}-Release`];
const isForeignBuild = (path) => /zeromq[\\/]build[\\/].*\.node$/.test(path) && !zeromqKeeps.some((kept) => path.includes(kept));
const keep = (path) => statSync(path).isDirectory() || !(unneeded.some((pattern) => pattern.test(path)) || isForeignBuild(path));

const copy = (path, filter = () => true) => cpSync(join(root, path), join(stage, path), { recursive: true, filter: (source) => filter(source), verbatimSymlinks: true });

const launcher = `#!/bin/sh
# Runs warpcell with the Node binary beside it.
here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
exec "$here/bin/node" "$here/kernel/dist/main.js" "$@"
`;

const installer = `#!/bin/sh
# Installs this bundle: ./install.sh [PREFIX], by default ~/.local. Needs nothing but a shell; run it again to upgrade.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=\${1:-$HOME/.local}
mkdir -p "$prefix/lib" "$prefix/bin"
rm -rf "$prefix/lib/warpcell.new"
cp -R "$here" "$prefix/lib/warpcell.new"
rm -rf "$prefix/lib/warpcell"
mv "$prefix/lib/warpcell.new" "$prefix/lib/warpcell"
ln -sf "$prefix/lib/warpcell/bin/warpcell" "$prefix/bin/warpcell"
echo "Installed $prefix/bin/warpcell. Next:"
echo "  $prefix/bin/warpcell doctor             what this machine has"
echo "  $prefix/bin/warpcell run NOTEBOOK.ipynb runs a notebook without Jupyter"
echo "  $prefix/bin/warpcell test gpu           the tests, on this machine's GPU"
echo "  $prefix/bin/warpcell install --user     registers the kernel with Jupyter"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "$prefix/bin is not on your PATH." ;; esac
`;

function assemble() {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(join(stage, "bin"), { recursive: true });
  cpSync(process.execPath, join(stage, "bin", "node"), { dereference: true });
  writeFileSync(join(stage, "bin", "warpcell"), launcher, { mode: 0o755 });
  writeFileSync(join(stage, "install.sh"), installer, { mode: 0o755 });

  for (const path of ["LICENSE", "README.md", "package.json", "vitest.config.ts", "native/package.json", "native/dist", "native/device", "native/lib", "native/engine/cuda/driver_api.h", "kernel/package.json", "kernel/dist", "kernel/mime.ts", "notebooks", "test/device", "test/helpers", "test/bench"]) {
    if (existsSync(join(root, path))) copy(path);
  }
  for (const program of ["addon.node", "warpcell-device"]) copy(`native/build/Release/${program}`);

  const folders = closure([...Object.keys(packageOf(join(root, "kernel")).dependencies), "vitest", "@types/node"], join(root, "kernel"));
  for (const [folder, name] of folders) {
    if (name === "warpcell") continue;
    copy(folder.slice(root.length + 1), (source) => keep(source) && !(source.length > folder.length && source.slice(folder.length).includes(`${sep}node_modules`)));
  }
  symlinkSync(join("..", "native"), join(stage, "node_modules", "warpcell"));
  symlinkSync(join("..", "kernel"), join(stage, "node_modules", "warpcell-kernel"));
}

function compress() {
  const result = spawnSync("sh", ["-c", `tar -C dist --sort=name --owner=0 --group=0 -cf - ${name} | xz -6 -T0 > ${output}`], { cwd: root, encoding: "utf8" });
  if (result.status !== 0) throw new Error(`Packing the bundle failed: ${result.stderr} (tar and xz are needed: sudo apt-get install xz-utils)`);
  return statSync(output).size;
}

try {
  await setup();
  assemble();
  const bytes = compress();
  console.log(`${output.slice(root.length + 1)}: ${(bytes / 1e6).toFixed(1)} MB`);
  for (const entry of readdirSync(stage)) {
    const size = spawnSync("du", ["-sm", join(stage, entry)], { encoding: "utf8" }).stdout.split("\t")[0];
    console.log(`  ${entry.padEnd(14)} ${size} MB unpacked`);
  }
  if (bytes > limit) throw new Error(`Expected at most ${limit / 1e6} MB but the bundle has ${(bytes / 1e6).toFixed(1)} MB. See above what grew.`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
