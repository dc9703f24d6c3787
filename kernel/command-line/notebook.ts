// The code cells of a notebook file.
import { readFileSync } from "node:fs";
import { Problem, kindOf } from "../supervisor/problem.ts";

export interface CodeCell {
  /** Counts all cells of the notebook, from 1, as a reader does. */
  position: number;
  source: string;
  /** A failure of this cell is expected: its tag is "raises-exception", as nbclient has it. */
  mayFail: boolean;
}

/** Reads a notebook of format 4. Throws a `Problem` that says what is wrong with it. */
export function readNotebook(file: string): CodeCell[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Problem(
      "NOTEBOOK_UNREADABLE",
      `The notebook cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  let text: string;
  try {
    // Drops a byte order mark, which some editors write.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(
      "NOTEBOOK_INVALID",
      `${file} is not a notebook (JSON in UTF-8): its bytes are not UTF-8. Save it with that encoding.`,
    );
  }
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch (error) {
    throw new Problem(
      "NOTEBOOK_INVALID",
      `${file} is not a notebook, which is JSON: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  return cellsOf(notebook, file);
}

function cellsOf(notebook: unknown, file: string): CodeCell[] {
  const { nbformat, cells } = (typeof notebook === "object" && notebook !== null ? notebook : {}) as {
    nbformat?: unknown;
    cells?: unknown;
  };
  if (nbformat !== 4 || !Array.isArray(cells)) {
    const got =
      nbformat === undefined
        ? `${kindOf(notebook)} without "nbformat"`
        : nbformat === 4
          ? `${kindOf(cells)} as its "cells"`
          : `format ${JSON.stringify(nbformat)}`;
    throw new Problem("NOTEBOOK_INVALID", `${file} is not a notebook of format 4 with "cells": it has ${got}.`);
  }

  return cells.flatMap((cell: unknown, index): CodeCell[] => {
    const { cell_type, source, metadata } = (cell ?? {}) as {
      cell_type?: unknown;
      source?: unknown;
      metadata?: { tags?: unknown };
    };
    if (cell_type !== "code") return [];
    const code = Array.isArray(source) ? source.join("") : source;
    if (typeof code !== "string")
      throw new Problem(
        "NOTEBOOK_INVALID",
        `The source of cell ${index + 1} of ${file} must be text, but is ${kindOf(source)}.`,
      );
    return code.trim() === ""
      ? []
      : [
          {
            position: index + 1,
            source: code,
            mayFail: Array.isArray(metadata?.tags) && metadata.tags.includes("raises-exception"),
          },
        ];
  });
}
