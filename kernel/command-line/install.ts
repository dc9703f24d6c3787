// `warpcell install`: writes a kernelspec that Jupyter finds, and brings JupyterLab its extension.
import { copyFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { protocolVersion } from "../supervisor/messages.ts";
import { Problem } from "../supervisor/problem.ts";
import { copyExtension } from "./extension.ts";
import { makeReadable, makeReadableFolder } from "./readable-files.ts";

const mainScript = fileURLToPath(new URL("../main.js", import.meta.url));
const logo = fileURLToPath(new URL("../../kernelspec/logo-svg.svg", import.meta.url));

/** Jupyter's kernelspec, with absolute paths: it must work from any directory and any environment. */
function kernelspec(): Record<string, unknown> {
  return {
    argv: [process.execPath, mainScript, "{connection_file}"],
    display_name: "TypeScript + CUDA",
    language: "typescript",
    interrupt_mode: "message",
    kernel_protocol_version: protocolVersion,
    metadata: { debugger: true },
  };
}

/**
 * Writes the kernelspec and the JupyterLab extension under `--prefix DIR`, or for this user. Prints where. Returns the
 * exit code.
 */
export async function install(words: readonly string[]): Promise<number> {
  const data = dataDirectory(words);
  const directory = join(data, "kernels", "warpcell");
  let extension: string | null;
  try {
    makeReadableFolder(directory);
    writeFileSync(join(directory, "kernel.json"), `${JSON.stringify(kernelspec(), null, 2)}\n`);
    copyFileSync(logo, join(directory, "logo-svg.svg"));
    makeReadable(directory);
    extension = copyExtension(data);
  } catch (error) {
    throw new Problem(
      "INSTALL_FAILED",
      `The kernelspec cannot be written in ${directory}: ${error instanceof Error ? error.message : String(error)}. Choose a directory you can write to with --prefix DIR.`,
    );
  }
  process.stdout.write(`Installed the kernel "TypeScript + CUDA" in ${directory}\n`);
  process.stdout.write(
    extension === null
      ? 'JupyterLab will show no heat maps and no colours in %%cuda cells: its extension is not built here. Build it with "npm run build", then install again.\n'
      : `Installed the JupyterLab extension in ${extension}\n`,
  );
  return 0;
}

/** Where Jupyter looks: below the prefix of an environment, or in the user's data directory. */
function dataDirectory(words: readonly string[]): string {
  const [first, second] = words;
  if (first === "--prefix" && second !== undefined && words.length === 2)
    return join(resolve(second), "share", "jupyter");
  if (words.length > 0 && !(first === "--user" && words.length === 1)) {
    throw new Problem("COMMAND_WORDS", `install takes --prefix DIR or --user but got "${words.join(" ")}".`);
  }
  return (
    process.env["JUPYTER_DATA_DIR"] || join(process.env["XDG_DATA_HOME"] || join(home(), ".local", "share"), "jupyter")
  );
}

function home(): string {
  try {
    return process.env["HOME"] || userInfo().homedir;
  } catch (error) {
    throw new Problem(
      "INSTALL_FAILED",
      `This user has no home directory to write the kernelspec in (${error instanceof Error ? error.message : String(error)}). Name a directory with --prefix DIR.`,
    );
  }
}
