// What a front end asks of cells that are being written, and what it is answered. Types only, as in payloads.ts. Offsets
// are UTF-16 units of a cell's text.

/**
 * `comm_msg` data on `warpcell.editor`, from the front end. It is answered while a cell runs, too, and runs nothing.
 * What a question needs beyond a place is `name` (rename), `indent` and `all` (format).
 */
export interface EditorRequest {
  readonly request: number;
  readonly question: EditorQuestion;
  /** The texts of all code cells as they are written, from the first. */
  readonly cells: readonly string[];
  /** Which of them is asked about, and where in it. */
  readonly cell: number;
  readonly offset: number;
  /** The new name. */
  readonly name?: string;
  /** How many spaces a level is indented by; 0: a tab. */
  readonly indent?: number;
  /** All cells instead of one. */
  readonly all?: boolean;
}

export type EditorQuestion = keyof EditorAnswers;

/** Each answer, `null` where there is nothing to say. */
export interface EditorAnswers {
  readonly hover: EditorHover | null;
  readonly signature: EditorSignatures | null;
  readonly complete: EditorMatches;
  readonly definition: EditorDefinition | null;
  readonly references: EditorReferences | null;
  readonly rename: EditorChanges;
  readonly format: EditorChanges;
  readonly hints: readonly EditorHint[];
}

/** The kernel's reply. */
export interface EditorReply {
  readonly request: number;
  /** `null`, too, where nothing answers. */
  readonly answer: EditorAnswers[EditorQuestion] | null;
  readonly problem: string | null;
}

/** What stands between two offsets, as Markdown. */
export interface EditorHover {
  readonly start: number;
  readonly end: number;
  readonly markdown: string;
}

/** The call around the cursor: its signatures, and the one that fits best. */
export interface EditorSignatures {
  readonly signatures: readonly EditorSignature[];
  readonly active: number;
}

export interface EditorSignature {
  readonly label: string;
  /** The part of the label that is the parameter at the cursor; `null`: there is none. */
  readonly parameter: readonly [start: number, end: number] | null;
  readonly markdown: string;
}

/** What may stand at the cursor, best first, in place of what is between two offsets. */
export interface EditorMatches {
  readonly start: number;
  readonly end: number;
  readonly matches: readonly EditorMatch[];
}

export interface EditorMatch {
  readonly text: string;
  /** What it is: "function", "class", "const", "keyword", … */
  readonly type: string;
  readonly signature: string;
  readonly documentation: string;
  /** Where its import comes from, if it has to be imported, and what writes that. */
  readonly from: string | null;
  readonly edits: readonly EditorEdit[];
}

export interface EditorEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Places where a name is declared; without any, what is known of it. */
export interface EditorDefinition {
  readonly places: readonly EditorPlace[];
  readonly hover: EditorHover | null;
}

export interface EditorReferences {
  readonly name: string;
  readonly places: readonly EditorPlace[];
}

/** In a cell, or in a file, whose path is relative to the notebook's folder. */
export interface EditorPlace {
  readonly cell: number | null;
  readonly file: string | null;
  /** Offsets in the text of the cell or file. */
  readonly start: number;
  readonly end: number;
  /** The line around it, and which it is, from 1. */
  readonly line: number;
  readonly text: string;
}

/** What is to be written into cells, in the order of each cell's text; or the sentence that says why nothing is. */
export interface EditorChanges {
  readonly cells: readonly { readonly cell: number; readonly edits: readonly EditorEdit[] }[];
  readonly refused: string | null;
}

/** A word that is shown at an offset and is no part of the text. */
export interface EditorHint {
  readonly offset: number;
  readonly text: string;
}
