// The offline bundle as on a GPU server: packed, unpacked elsewhere, installed and used with no network, no Node and no
// npm in reach, and nothing of the checkout in it.
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shipped } from "../../scripts/build-kernels.mjs";
import { until } from "../helpers/kernel.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const archiveOf = (gpu = "") => join(root, "dist", `warpcell-linux-${process.arch}${gpu && `-${gpu}`}.tar.xz`);
// A bundle with kernels for GPUs takes minutes to make; what is not made is not waited for here.
const cubins = shipped.gpus.every((gpu) =>
  existsSync(join(root, "native", "build", "Release", "kernels", gpu, "functions.float32.names")),
);
const asBuilt = ["--as-built", ...(cubins ? [] : ["--without-cubins"])];
const archives = [archiveOf(), ...(cubins ? shipped.gpus.map(archiveOf) : [])];
const place = mkdtempSync(join(tmpdir(), "warpcell-bundle-test-"));
const unpacked = join(place, "unpacked");
const home = join(place, "home");
const programs = join(place, "programs");
const installation = join(home, ".local", "lib", "warpcell");
const warpcell = join(home, ".local", "bin", "warpcell");

// A network namespace of its own has no way out. Where the system allows none, the rest of the bareness is still
// tested.
const isolate =
  [
    ["unshare", "-n"],
    ["unshare", "-r", "-n"],
  ].find(([command, ...words]) => spawnSync(command!, [...words, "true"]).status === 0) ?? [];

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command in the bare environment. */
function bare(command: readonly string[], { path = programs, cwd = place } = {}): Ended {
  const [first, ...words] = [...isolate, "env", "-i", `HOME=${home}`, `PATH=${path}`, ...command];
  return spawnSync(first!, words, { encoding: "utf8", cwd, timeout: 600_000, maxBuffer: 1 << 28 });
}

/** A folder with this machine's programs but for Node, npm, Python and those in `without`. */
function programsWithout(folder: string, without: readonly string[] = []): string {
  mkdirSync(folder);
  const hidden = new RegExp(
    `^(node|nodejs|npm|npx|corepack|python.*|pip.*${without.map((name) => `|${name}`).join("")})$`,
  );
  for (const directory of ["/usr/local/bin", "/usr/bin", "/bin"]) {
    for (const name of readdirSync(directory))
      if (!hidden.test(name) && !existsSync(join(folder, name)) && existsSync(join(directory, name)))
        symlinkSync(join(directory, name), join(folder, name));
  }
  return folder;
}

function* entries(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* entries(path);
    else yield path;
  }
}

beforeAll(() => {
  const bundled = spawnSync(process.execPath, [join(root, "scripts", "bundle.mjs"), ...asBuilt], { encoding: "utf8" });
  expect(bundled.status, bundled.stdout + bundled.stderr).toBe(0);
  mkdirSync(home);
  programsWithout(programs);
  for (const archive of archives) {
    const taken = bare(["tar", "-xf", archive]);
    expect(taken.status, taken.stderr).toBe(0);
  }
  renameSync(join(place, `warpcell-linux-${process.arch}`), unpacked);
}, 900_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe("the archive", () => {
  test("that is not to be finished leaves nothing", async () => {
    const workshops = () => readdirSync(join(root, "dist")).filter((name) => name.startsWith(".bundle-"));
    const child = spawn(process.execPath, [join(root, "scripts", "bundle.mjs"), ...asBuilt], { stdio: "ignore" });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await until(() => workshops().some((name) => existsSync(join(root, "dist", name, "packed"))));
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(workshops()).toEqual([]);
  });

  test("has at most 60 MB, with the kernels of any one generation of GPUs", () => {
    const [bundle, ...added] = archives.map((archive) => statSync(archive).size);
    expect(bundle! + Math.max(0, ...added)).toBeLessThanOrEqual(60e6);
  });

  test("has the library's kernels, for GPUs too where they were made", () => {
    const kernels = join(unpacked, "native", "build", "Release", "kernels");
    const units = (architecture: string) =>
      readdirSync(join(kernels, architecture)).filter((name) => name.endsWith(".names"));
    const [architecture] = shipped.processors.filter((name) => existsSync(join(kernels, name)));
    for (const gpu of cubins ? shipped.gpus : []) expect(units(gpu), gpu).toEqual(units(architecture!));
    expect([...entries(kernels)].filter((path) => path.endsWith(".print"))).toEqual([]);
    expect(existsSync(join(kernels, "facts.json"))).toBe(true);
  });

  test("points nowhere outside itself", () => {
    const paths = [...entries(unpacked)].filter((path) => path !== join(unpacked, "bin", "node"));
    expect(paths.length).toBeGreaterThan(500);
    const links = paths.flatMap((path) => (statSync(path).isDirectory() ? [readlinkSync(path)] : []));
    expect(links.sort()).toEqual(["../kernel", "../native"]);
    const telling = paths.filter((path) => statSync(path).isFile() && readFileSync(path).includes(root));
    expect(telling.map((path) => relative(unpacked, path))).toEqual([]);
  });
});

describe("without network, Node and npm", () => {
  test("there is none", () => {
    expect(bare(["sh", "-c", "command -v node npm npx python3"])).toMatchObject({ stdout: "", status: 127 });
  });

  test("install.sh refuses words that are no folder", () => {
    expect(bare(["./install.sh", "--everywhere"], { cwd: unpacked })).toMatchObject({
      status: 2,
      stderr:
        "install.sh takes a folder to install in (by default ~/.local) but got --everywhere. Usage: ./install.sh [PREFIX]\n",
    });
  });

  test("install.sh takes one folder, and needs one where there is no home", () => {
    expect(bare(["./install.sh", "a", "b"], { cwd: unpacked })).toMatchObject({
      status: 2,
      stderr: "install.sh takes one folder to install in but got a b. Usage: ./install.sh [PREFIX]\n",
    });
    expect(bare(["env", "-u", "HOME", "./install.sh"], { cwd: unpacked })).toMatchObject({
      status: 2,
      stderr: "There is no home directory to install in: HOME is not set. Name a folder: ./install.sh PREFIX\n",
    });
  });

  test("install.sh that cannot write all of it says so, keeps the earlier installation and leaves no half", () => {
    const prefix = join(place, "kept"),
      earlier = join(prefix, "lib", "warpcell", "earlier"),
      failing = join(place, "failing");
    for (const folder of [earlier, failing]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(failing, "cp"), '#!/bin/sh\nmkdir "$3"\necho "no space left" >&2\nexit 1\n', { mode: 0o755 });
    expect(bare(["./install.sh", prefix], { cwd: unpacked, path: `${failing}:${programs}` })).toMatchObject({
      status: 1,
      stderr: `no space left\nThe installation cannot be written in ${prefix}: see above. Name another folder: ./install.sh PREFIX\n`,
    });
    expect(readdirSync(join(prefix, "lib"))).toEqual(["warpcell"]);
    expect(existsSync(earlier)).toBe(true);
  });

  test("install.sh installs, twice as well as once, and the unpacked folder can go", () => {
    for (let time = 0; time < 2; time++)
      expect(bare(["./install.sh"], { cwd: unpacked })).toMatchObject({
        status: 0,
        stderr: "",
        stdout: expect.stringContaining(`Installed ${warpcell}.`) as string,
      });
    expect(bare(["./install.sh", "../another"], { cwd: unpacked })).toMatchObject({ status: 0, stderr: "" });
    expect(bare([join(place, "another", "bin", "warpcell"), "--version"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
    rmSync(join(place, "another"), { recursive: true });
    rmSync(unpacked, { recursive: true });
  });

  test("doctor reports with the bundle's own Node", () => {
    const { status, stdout, stderr } = bare([warpcell, "doctor"]);
    expect(stdout).toContain(join(installation, "bin", "node"));
    expect(stdout).toMatch(/^ {2}compiler +(clang\+\+|g\+\+) /m);
    expect(stdout).toContain(join(installation, "native", "build", "Release", "libscipy_openblas.so"));
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  test("the first notebook runs", () => {
    const { status, stdout, stderr } = bare([
      warpcell,
      "run",
      join(installation, "notebooks", "01-first-kernel.ipynb"),
    ]);
    expect(stderr).not.toMatch(/cmake-ts|Cannot find/);
    expect(stdout).toContain("1000000 times 1 + 2 · 1 is 3\n");
    expect(stdout).toContain("the product is right, off by at most 0.000000\n");
    expect(stdout).toMatch(/^still here: [\d.]+ tensor\(\[3, 3, 3\], shape \[3\], float32, cpu\)$/m);
    expect(status, stdout + stderr).toBe(0);
  });

  test("type errors are found, so the type service and the library's types are there", () => {
    const file = join(home, "types.ipynb");
    const source =
      '%types strict\nimport { zeros } from "warpcell";\nconst n: number = "three"; const x: string = zeros([1]); n';
    writeFileSync(
      file,
      JSON.stringify({
        nbformat: 4,
        nbformat_minor: 5,
        metadata: {},
        cells: [{ cell_type: "code", metadata: {}, source, outputs: [] }],
      }),
    );
    const { stdout, stderr } = bare([warpcell, "run", file]);
    expect(stdout + stderr).toMatch(/Type 'string' is not assignable to type 'number'/);
    expect(stdout + stderr).toMatch(/Type 'Tensor.*' is not assignable to type 'string'/);
  });

  test("`test cpu` passes, and leaves the installation as it is", () => {
    const before = [...entries(installation)];
    const { status, stdout, stderr } = bare([warpcell, "test", "cpu"]);
    expect(status, stdout + stderr).toBe(0);
    expect(Number(/Tests .*?(\d+) passed/.exec(stdout)?.[1])).toBeGreaterThan(200);
    expect([...entries(installation)]).toEqual(before);
  });

  test("`test gpu` says why there is none", () => {
    const { status, stdout, stderr } = bare(["env", "CUDA_VISIBLE_DEVICES=", warpcell, "test", "gpu"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^warpcell: (This machine has no NVIDIA driver|The NVIDIA driver) .*\n$/);
    expect(stdout).toBe("");
  });
});

test("a bundle that would lack kernels for GPUs is refused", () => {
  const elsewhere = join(place, "no-kernels");
  for (const path of ["scripts", "native/dist", "native/package.json", "kernel/dist", "package.json"])
    cpSync(join(root, path), join(elsewhere, path), { recursive: true });
  mkdirSync(join(elsewhere, "native", "build", "Release", "kernels"), { recursive: true });
  for (const file of ["addon.node", "warpcell-device", join("kernels", "facts.json")])
    cpSync(join(root, "native", "build", "Release", file), join(elsewhere, "native", "build", "Release", file));
  cpSync(join(root, "native", "device"), join(elsewhere, "native", "device"), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [join(elsewhere, "scripts", "bundle.mjs"), "--as-built"], {
    encoding: "utf8",
  });
  expect(stderr).toBe(
    `Not all kernels are made for ${shipped.gpus.join(", ")}. Run "npm run bundle", which makes them, or leave them out with --without-cubins.\n`,
  );
  expect(status).toBe(1);
});

test("a machine without xz is told what to install before anything is packed", () => {
  const path = programsWithout(join(place, "no-xz"), ["xz"]);
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts", "bundle.mjs"), "--as-built"], {
    encoding: "utf8",
    env: { PATH: path },
  });
  expect(stderr).toBe(
    "Packing the bundle takes tar, xz and strip, but there is no xz. Install them with: sudo apt-get install tar xz-utils binutils\n",
  );
  expect(status).toBe(1);
});
