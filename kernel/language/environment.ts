// Turns the place of a notebook into what the checker sees around its cells: compiler options and the kernel's globals. It must not know the cells.
import { dirname, join } from "node:path";
import { packageFolder } from "./installed.ts";

/** Names of the two documents, in the notebook's own folder, so that its packages and relative files resolve as they do for a file there. */
export const configurationFile = "tsconfig.json";
export const globalsFile = ".warpcell-globals.d.ts";

/**
 * Options of the checker. Strict, but for what rejects code that runs: implicit `any` is on only for the better inference it brings (its messages
 * are not shown). `types` and `warpcell` come from this installation, whatever the notebook's folder holds.
 */
export function configuration(files: readonly string[]): string {
  const nodeTypes = packageFolder("@types/node");
  const library = packageFolder("warpcell");
  return JSON.stringify({
    compilerOptions: {
      target: "esnext",
      lib: ["esnext"],
      module: "esnext",
      moduleResolution: "bundler",
      moduleDetection: "force",
      allowImportingTsExtensions: true,
      resolveJsonModule: true,
      allowJs: true,
      checkJs: true,
      noEmit: true,
      skipLibCheck: true,
      strict: true,
      noImplicitThis: false,
      strictPropertyInitialization: false,
      useUnknownInCatchVariables: false,
      allowUnreachableCode: true,
      allowUnusedLabels: true,
      experimentalDecorators: true,
      types: nodeTypes === null ? [] : ["node"],
      typeRoots: nodeTypes === null ? [] : [dirname(nodeTypes)],
      paths: library === null ? {} : { warpcell: [join(library, "dist/index.d.ts")] },
    },
    files: [globalsFile, ...files],
  });
}

/** What the session gives every cell besides Node's own globals. */
export const globals = `
/** The value of the last cell that had one. */
declare var _: any;
/** The last error that a cell ended with. */
declare var _error: any;

/** Representations of one value, by MIME type. */
interface MimeBundle { [mime: string]: unknown; }

interface DisplayOptions {
  /** The value is a MIME bundle already. */
  raw?: boolean;
  /** Replaces the display with this identifier instead of adding one. */
  update?: boolean;
  display_id?: string;
  metadata?: Record<string, unknown>;
}

/** Shows a value below the cell, as its last expression would be shown. */
declare const display: {
  (value: unknown, options?: DisplayOptions): any;
  /** Replaces what an earlier \`display\` with this identifier shows. */
  update(...given: any[]): any;
  /** Clears the output of the cell; with \`wait\`, when the next output comes. */
  clear(wait?: boolean): any;
  [helper: string]: any;
};

/** A piece of HTML, shown as such. */
declare function html(strings: TemplateStringsArray, ...values: unknown[]): any;
/** A piece of Markdown, shown as such. */
declare function md(strings: TemplateStringsArray, ...values: unknown[]): any;
/** An SVG picture, shown as such. */
declare function svg(strings: TemplateStringsArray, ...values: unknown[]): any;

/** Asks the user for a line of text; the cell waits for the answer. */
declare function prompt(question?: string, initial?: string): any;
/** Asks the user yes or no; the cell waits for the answer. */
declare function confirm(question?: string): any;
/** Asks the user for a line of text. */
declare function input(question?: string, options?: any): Promise<any>;

/** A channel between a cell and the front end. */
declare const Comm: any;
`;
