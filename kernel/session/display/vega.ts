// Specifications of Vega and Vega-Lite, as objects or made by vega-lite-api: the bundle that front ends draw, with a line
// of text beside it.
import type { MimeBundle } from "../../session-protocol.ts";

export interface VegaSpec {
  readonly $schema?: string;
  readonly title?: unknown;
  readonly mark?: unknown;
  readonly encoding?: unknown;
  readonly data?: unknown;
}

/** A specification says what it is by its schema. */
export function isVegaSpec(value: object): boolean {
  const { $schema } = value as VegaSpec;
  return typeof $schema === "string" && /\/vega(-lite)?\/v\d/.test($schema);
}

export function vegaBundle(spec: VegaSpec): MimeBundle {
  const isVega = spec.$schema?.includes("/vega/") ?? false;
  return {
    // Front ends know these versions, which draw newer specifications, too.
    [isVega ? "application/vnd.vega.v5+json" : "application/vnd.vegalite.v5+json"]: spec,
    "text/plain": `[${[isVega ? "Vega chart" : "Vega-Lite chart", ...factsOf(spec)].join(", ")}]`,
  };
}

/** Title, mark, which field is where, and how many rows: as far as a specification says so at its top. */
function factsOf({ title, mark, encoding, data }: VegaSpec): string[] {
  const fieldOf = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  const words = [
    typeof title === "string" ? title : fieldOf(title, "text"),
    typeof mark === "string" ? mark : fieldOf(mark, "type"),
  ];
  const channels =
    typeof encoding === "object" && encoding !== null
      ? Object.entries(encoding).flatMap(([channel, value]) => {
          const field = fieldOf(value, "field") ?? fieldOf(value, "aggregate");
          return typeof field === "string" ? [`${channel}: ${field}`] : [];
        })
      : [];
  const rows = fieldOf(data, "values");
  return [
    ...words.filter((word) => typeof word === "string"),
    ...channels,
    ...(Array.isArray(rows) ? [`${rows.length} row${rows.length === 1 ? "" : "s"}`] : []),
  ];
}
