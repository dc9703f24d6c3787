// The MIME bundle of a value, by what the value says of itself or looks like.
import { types } from "node:util";
import type { MimeBundle } from "../../session-protocol.ts";
import { requireJson } from "./json.ts";
import { hasPictures, picturesOf } from "./parts.ts";
import { escape, text } from "./text.ts";
import { isVegaSpec, vegaBundle, type VegaSpec } from "./vega.ts";

/**
 * A value with this method describes itself: it returns a MIME bundle, or a promise of one. The same symbol as Deno's.
 */
export const displaySymbol = Symbol.for("Jupyter.display");

/** What a value that is no bundle must be wrapped in to be shown as one: see {@link raw}. */
class RawBundle {
  readonly bundle: MimeBundle;

  constructor(bundle: MimeBundle) {
    this.bundle = bundle;
  }

  [displaySymbol](): MimeBundle {
    return this.bundle;
  }
}

/** A value that is shown as the bundle given. */
export function raw(bundle: MimeBundle): object {
  return new RawBundle(bundle);
}

interface Formatter {
  accepts: (value: object) => boolean;
  format: (value: never) => MimeBundle | Promise<MimeBundle>;
}

interface Canvas {
  toDataURL(): string;
}
interface Chart {
  toSpec(): VegaSpec;
}
interface Markup {
  outerHTML: string;
}
interface DataFrame {
  schema: Record<string, unknown>;
  head(rows: number): unknown;
  toRecords(): Record<string, unknown>[];
}

/** Libraries that do not know the symbol, by the shape of their values: the first that accepts a value formats it. */
const formatters: readonly Formatter[] = [
  {
    accepts: (value) => isMethod(value, displaySymbol),
    format: (value: Record<symbol, () => MimeBundle>) => value[displaySymbol]!(),
  },
  { accepts: (value) => isMethod(value, "toDataURL"), format: (value: Canvas) => dataUrl(value.toDataURL()) },
  { accepts: (value) => isMethod(value, "toSpec"), format: (value: Chart) => vegaBundle(value.toSpec()) },
  { accepts: isVegaSpec, format: vegaBundle },
  {
    accepts: (value) => "schema" in value && isMethod(value, "head") && isMethod(value, "toRecords"),
    format: (value: DataFrame) => ({ "text/plain": text(value), "text/html": table(value.toRecords()) }),
  },
  {
    accepts: (value) => value instanceof Uint8Array && imageType(value) !== undefined,
    format: (value: Uint8Array) => ({
      [imageType(value)!]: Buffer.from(value).toString("base64"),
      "text/plain": text(value),
    }),
  },
  {
    accepts: (value) => "outerHTML" in value && typeof value.outerHTML === "string",
    format: (value: Markup) => markup(value.outerHTML),
  },
  {
    accepts: (value) => types.isPromise(value) && text(value) === "Promise { <pending> }",
    format: () => ({ "text/plain": "Promise { <pending> }: await before it waits for its value" }),
  },
  { accepts: hasPictures, format: (value: object) => ({ "text/html": picturesOf(value), "text/plain": text(value) }) },
];

/**
 * The bundle of a value, at once unless the value takes its time; `text/plain` is always there, but in one that is
 * empty and shows nothing.
 * Throws what the value's own method throws, and a TypeError when that returns no bundle.
 */
export function bundleOf(value: unknown): MimeBundle | Promise<MimeBundle> {
  if ((typeof value !== "object" && typeof value !== "function") || value === null)
    return { "text/plain": text(value) };
  const formatter = formatters.find(({ accepts }) => accepts(value));
  if (formatter === undefined) return { "text/plain": text(value) };
  const bundle = formatter.format(value as never);
  return bundle instanceof Promise ? bundle.then((described) => checked(described, value)) : checked(bundle, value);
}

function checked(bundle: unknown, value: object): MimeBundle {
  if (
    typeof bundle !== "object" ||
    bundle === null ||
    Array.isArray(bundle) ||
    !Object.keys(bundle).every((type) => /^[\w.+-]+\/[\w.+-]+$/.test(type))
  ) {
    throw new TypeError(
      `The method Symbol.for("Jupyter.display") must return an object with MIME types as keys, but returned ${text(bundle)}.`,
    );
  }
  requireJson(bundle, "what is displayed");
  if (Object.keys(bundle).length === 0) return {};
  return "text/plain" in bundle
    ? (bundle as MimeBundle)
    : { "text/plain": value instanceof RawBundle ? "" : `[${value.constructor?.name ?? "Object"}]`, ...bundle };
}

function isMethod(value: object, name: string | symbol): boolean {
  return typeof (value as Record<string | symbol, unknown>)[name] === "function";
}

const signatures: [string, number[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
];

function imageType(bytes: Uint8Array): string | undefined {
  return signatures.find(([, signature]) => signature.every((byte, i) => bytes[i] === byte))?.[0];
}

function dataUrl(url: string): MimeBundle {
  const [, type = "", base64 = "", data = ""] = /^data:([^;,]+)(;base64)?,(.*)$/s.exec(url) ?? [];
  if (type === "") throw new TypeError(`toDataURL() must return a data: URL, but returned ${text(url.slice(0, 60))}.`);
  return { [type]: base64 === "" ? decodeURIComponent(data) : data, "text/plain": `[${type}]` };
}

function markup(source: string): MimeBundle {
  return source.trimStart().startsWith("<svg")
    ? { "image/svg+xml": source, "text/plain": source }
    : { "text/html": source, "text/plain": source };
}

function table(rows: Record<string, unknown>[]): string {
  const shown = rows.slice(0, 50);
  const columns = Object.keys(shown[0] ?? {});
  const row = (cells: unknown[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(String(cell))}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${row(columns, "th")}</thead><tbody>${shown
    .map((record) =>
      row(
        columns.map((column) => record[column]),
        "td",
      ),
    )
    .join("")}</tbody></table>`;
}
