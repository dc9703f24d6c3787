// Notebooks as files, and what running one without a browser prints.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const python = process.env["WARPCELL_PYTHON"] ?? join(root, ".venv", "bin", "python");
export const runner = join(root, "scripts", "run_notebook.py");

export interface Cell {
  readonly kind: "markdown" | "code";
  readonly source: string;
  /** JupyterLab shows its output alone. */
  readonly isHidden: boolean;
  readonly outputs: readonly { readonly data?: Readonly<Record<string, unknown>>; readonly text?: unknown }[];
}

/** The cells of a notebook file. */
export function cellsOf(path: string): Cell[] {
  const { cells } = JSON.parse(readFileSync(path, "utf8")) as {
    cells: {
      cell_type: Cell["kind"];
      source: string | string[];
      metadata: { jupyter?: { source_hidden?: boolean } };
      outputs?: Cell["outputs"];
    }[];
  };
  return cells.map(({ cell_type, source, metadata, outputs = [] }) => ({
    kind: cell_type,
    isHidden: metadata.jupyter?.source_hidden === true,
    source: [source].flat().join(""),
    outputs,
  }));
}

/** Runs a notebook from top to bottom through the real kernel and nbclient. */
export function run(path: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, [runner, path], { cwd: root });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A path in a folder of the test's own. */
export function temporary(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "warpcell-notebook-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}

/** A notebook file with the given code cells. */
export function notebook(...sources: string[]): string {
  const cells = sources.map((source, index) => ({
    cell_type: "code",
    id: `c${index}`,
    metadata: {},
    execution_count: null,
    outputs: [],
    source,
  }));
  const path = temporary("test.ipynb");
  writeFileSync(
    path,
    JSON.stringify({
      cells,
      metadata: { kernelspec: { name: "warpcell", display_name: "TypeScript + CUDA" } },
      nbformat: 4,
      nbformat_minor: 5,
    }),
  );
  return path;
}
