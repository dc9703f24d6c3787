// Looks at the machine before anything is installed: turns a missing tool into one sentence with the command that
// installs it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const minimumNode = [20, 19];
const minimumPython = [3, 10];

const run = (command, args) => spawnSync(command, args, { encoding: "utf8" });
const works = (command, args = ["--version"]) => run(command, args).status === 0;
const atLeast = (found, needed) => found[0] > needed[0] || (found[0] === needed[0] && found[1] >= needed[1]);

// What the scripts of pip and CMake, the builder of extensions, lists of paths, or the way Node resolves packages would
// read as something else.
const refused = /["$`*\\|;:[\]#?!\n]|%[0-9a-f]{2}/i;

/** Each check answers a sentence when something is missing, and nothing when all is well. */
export const checks = {
  node(version = process.versions.node) {
    const found = version.split(".").map(Number);
    if (atLeast(found, minimumNode)) return;
    return `Node.js ${minimumNode.join(".")} or newer is needed, but this is ${version}. Install a newer one (https://nodejs.org, or: npx n 20) and run the command again.`;
  },
  python(python = process.env.PYTHON ?? "python3") {
    const result = run(python, ["-c", "import sys; print(*sys.version_info[:2])"]);
    if (result.status !== 0) {
      return `Python ${minimumPython.join(".")} or newer is needed, but "${python}" does not run. Install it with: sudo apt-get install python3 python3-venv`;
    }
    const found = result.stdout.trim().split(" ").map(Number);
    if (!atLeast(found, minimumPython)) {
      return `Python ${minimumPython.join(".")} or newer is needed, but "${python}" is ${found.join(".")}. Install a newer one with: sudo apt-get install python3 python3-venv, or name one in the environment variable PYTHON.`;
    }
    if (!works(python, ["-c", "import venv, ensurepip"])) {
      return `"${python}" does not have Python's venv module. Install it with: sudo apt-get install python3-venv`;
    }
  },
  compiler(candidates = [process.env.CXX, "c++", "g++", "clang++"]) {
    if (candidates.some((candidate) => candidate && works(candidate))) return;
    return "There is no C++17 compiler: none of c++, g++ and clang++ was found. Install one with: sudo apt-get install g++";
  },
  folder(path = fileURLToPath(new URL("..", import.meta.url))) {
    const found = refused.exec(path);
    if (found !== null)
      return `The tools that build cannot take the path ${JSON.stringify(path)}, which has ${JSON.stringify(found[0])} in it. Rename that folder, or move this one, and run the command again.`;
  },
  buildTool(candidates = ["ninja", "make"]) {
    if (candidates.some((candidate) => works(candidate))) return;
    return "Building the native part takes ninja or make, and neither was found. Install one with: sudo apt-get install make";
  },
};

/** Sentences for everything that is missing on this machine. */
export function missing() {
  return Object.values(checks)
    .map((check) => check())
    .filter((sentence) => sentence !== undefined);
}
