// What the checker sees around a notebook's cells: compiler options and the kernel's globals.
import { dirname, join } from "node:path";
import { decoratorsIn } from "./decorators.ts";
import { packageFolder } from "./installed.ts";

/**
 * Names of the two documents, in the notebook's own folder, so that its packages and relative files resolve as they do
 * for a file there.
 */
export const configurationFile = "tsconfig.json";
export const globalsFile = ".warpcell-globals.d.ts";

/**
 * What each part of the library after ES2023 brings first to a Node that has it. Standard decorators are lowered, so
 * that every Node has them.
 */
const later: Record<string, () => boolean> = {
  "es2024.arraybuffer": () => "transfer" in ArrayBuffer.prototype,
  "es2024.collection": () => "groupBy" in Map,
  "es2024.object": () => "groupBy" in Object,
  "es2024.promise": () => "withResolvers" in Promise,
  "es2024.regexp": () => "unicodeSets" in RegExp.prototype,
  "es2024.sharedmemory": () => "waitAsync" in Atomics,
  "es2024.string": () => "isWellFormed" in String.prototype,
  "es2025.collection": () => "union" in Set.prototype,
  "es2025.float16": () => "Float16Array" in globalThis,
  "es2025.intl": () => "DurationFormat" in Intl,
  "es2025.iterator": () => "Iterator" in globalThis,
  "es2025.promise": () => "try" in Promise,
  "es2025.regexp": () => "escape" in RegExp,
  "esnext.array": () => "fromAsync" in Array,
  "esnext.collection": () => "getOrInsert" in Map.prototype,
  "esnext.date": () => "toTemporalInstant" in Date.prototype,
  "esnext.decorators": () => true,
  "esnext.disposable": () => "DisposableStack" in globalThis,
  "esnext.error": () => "isError" in Error,
  "esnext.intl": () => "Temporal" in globalThis,
  "esnext.sharedmemory": () => "pause" in Atomics,
  "esnext.temporal": () => "Temporal" in globalThis,
  "esnext.typedarrays": () => "fromBase64" in Uint8Array,
};

/** The checker's declarations of JavaScript, as far as the Node that runs the cells has it. */
function libraries(): string[] {
  return ["es2023", ...Object.keys(later).filter((part) => later[part]!())];
}

/**
 * Options of the checker. Strict, but for what rejects code that runs: implicit `any` is on only for the better
 * inference it brings (its messages are not shown). `types` and `warpcell` come from this installation, whatever the
 * notebook's folder holds; which kind of decorators is meant, its tsconfig.json says.
 */
export function configuration(files: readonly string[], directory: string): string {
  const nodeTypes = packageFolder("@types/node");
  const library = packageFolder("warpcell");
  return JSON.stringify({
    compilerOptions: {
      target: "esnext",
      lib: libraries(),
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
      allowUnusedLabels: true,
      experimentalDecorators: decoratorsIn(directory) === "legacy",
      types: nodeTypes === null ? [] : ["node"],
      typeRoots: nodeTypes === null ? [] : [dirname(nodeTypes)],
      paths: library === null ? {} : { warpcell: [join(library, "dist/index.d.ts")] },
    },
    files: [globalsFile, ...files],
  });
}

/** What the session gives every cell besides Node's own globals; the names and types are those of `kernel/session`. */
export const globals = `
/** The value of the last cell that had one. */
declare var _: any;
/** The last error that a cell ended with. */
declare var _error: any;

/** Older Nodes have this part of ES2024 alone. */
interface ArrayBufferConstructor { new (byteLength: number, options?: { maxByteLength?: number }): ArrayBuffer; }

interface DisplayOptions {
  /** Displays with one id show the same; see \`display.update\`. */
  display_id?: string;
  /** Replaces what is shown under \`display_id\` instead of adding an output. */
  update?: boolean;
  /** The value is itself a MIME bundle: \`{ "text/html": … }\`. */
  raw?: boolean;
  metadata?: Record<string, unknown>;
  buffers?: Uint8Array[];
}

/** One output below a cell, which can be replaced later. */
interface Shown {
  readonly id: string;
  update(value: unknown, options?: DisplayOptions): Promise<void>;
}

interface Display {
  (value: unknown, options?: DisplayOptions): Promise<Shown>;
  /** Replaces what is shown under an id. */
  update(id: string, value: unknown, options?: DisplayOptions): Promise<void>;
  /** Removes the outputs of the cell; with \`wait\`, when the next one comes. */
  clear(wait?: boolean): void;
}

/** Shows a value below the cell, as its last expression would be shown. */
declare const display: Display;
/** Shows a tensor below the cell, and opens it in a viewer: zoom, any two axes, statistics. \`name\` is the tab's. */
declare function show(
  tensor: { readonly shape: readonly number[]; readonly dtype: string },
  name?: string,
): Promise<void>;

/** Makes markup; \`tag.raw(text)\` is a text that is markup already. */
interface MarkupTag {
  (strings: TemplateStringsArray, ...values: unknown[]): object;
  raw(markup: string): object;
}
/** A value that is shown as this HTML. What is filled in is text, unless \`html\` or \`svg\` has made it; lists are joined. */
declare const html: MarkupTag;
/** A value that is shown as this Markdown. */
declare const md: MarkupTag;
/** A value that is shown as this SVG picture, also of elements alone. What is filled in is text, as for \`html\`. */
declare const svg: MarkupTag;

/** Ends the session: its variables are lost, and the next cell starts with fresh ones. */
declare function exit(): never;
/** Ends the session, as \`exit\`. */
declare function quit(): never;
/** Asks the user for a line of text; the cell waits for the answer. \`null\` when the input ended. */
declare function prompt(message?: string, fallback?: string): string | null;
/** Asks the user yes or no; the cell waits for the answer. */
declare function confirm(message?: string): boolean;
/** Asks the user for a line of text without blocking. \`null\` when the input ended. */
declare function input(message?: string, options?: { password?: boolean }): Promise<string | null>;

interface CommMessage { data: any; metadata: Record<string, unknown>; buffers: Uint8Array[]; }
interface CommOptions { data?: unknown; metadata?: Record<string, unknown>; buffers?: Uint8Array[]; id?: string; }

/** A channel between a cell and the front end: data and binary buffers, both ways. */
declare class Comm {
  readonly id: string;
  readonly target: string;
  onMessage: ((message: CommMessage) => void | Promise<void>) | null;
  onClose: ((data: any) => void | Promise<void>) | null;
  /** Opens a channel to what the front end has registered under this name. */
  constructor(target: string, options?: CommOptions);
  send(data: unknown, options?: { metadata?: Record<string, unknown>; buffers?: Uint8Array[] }): void;
  close(data?: unknown): void;
  /** Calls \`opened\` for every comm that a front end opens on the target. */
  static register(target: string, opened: (comm: Comm, message: CommMessage) => void | Promise<void>): void;
}
`;
