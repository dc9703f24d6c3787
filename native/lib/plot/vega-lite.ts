// A chart as a specification of Vega-Lite, for those who go on with Vega's own tools.
import { classColour } from "./palette.ts";
import { kindOf, type Figure, type PlotKind } from "./figure.ts";
import { reduced } from "./series.ts";

/** https://vega.github.io/vega-lite/docs/spec.html */
export type VegaLiteSpec = Readonly<Record<string, unknown>>;

const marks = { line: "line", points: "point", bars: "bar" } as const;

const markOf = (kind: PlotKind) => ({
  type: marks[kind],
  tooltip: true,
  ...(kind === "points" ? { filled: true } : {}),
});

/** One mark, or a layer for each kind of them. */
function marked(figure: Figure): object {
  const kinds = [...new Set(figure.series.map((each) => kindOf(figure, each)))];
  if (kinds.length < 2) return { mark: markOf(kinds[0] ?? figure.kind) };
  return {
    layer: kinds.map((kind) => ({
      mark: markOf(kind),
      transform: [
        {
          filter: {
            field: "series",
            oneOf: figure.series.filter((each) => kindOf(figure, each) === kind).map(({ name }) => name),
          },
        },
      ],
    })),
  };
}

export function vegaLiteOf(figure: Figure): VegaLiteSpec {
  const { kind, options, categories, edges, series } = figure;
  const named = series.length > 1 || series.some(({ name }) => name !== "");
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  const values = series.flatMap((each) => {
    const { name, x, y } = kindOf(figure, each) === "line" ? reduced(each) : each;
    return Array.from(y, (value, at) => ({
      ...(edges === null
        ? { x: categories === null ? finite(x[at]!) : categories[x[at]!] }
        : { x: edges[at]!, x2: edges[at + 1]! }),
      y: finite(value),
      ...(named ? { series: name } : {}),
    }));
  });
  const scale = (
    isLogarithmic: boolean | undefined,
    range: readonly [number, number] | undefined,
    zero: boolean | undefined,
  ) => ({
    ...(isLogarithmic ? { type: "log" } : zero === undefined ? { type: "utc" } : { zero }),
    ...(range === undefined ? {} : { domain: range }),
  });
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    ...(options.title === undefined ? {} : { title: options.title }),
    width: options.width ?? 560,
    height: options.height ?? 260,
    data: { values },
    ...marked(figure),
    encoding: {
      x: {
        field: "x",
        type: categories !== null ? "nominal" : figure.isTime ? "temporal" : "quantitative",
        title: options.xLabel ?? null,
        ...(categories === null
          ? { scale: scale(options.logX, options.xRange, figure.isTime ? undefined : false) }
          : { sort: null, axis: { labelAngle: 0 } }),
        ...(edges === null ? {} : { bin: "binned" }),
      },
      ...(edges === null ? {} : { x2: { field: "x2" } }),
      y: {
        field: "y",
        type: "quantitative",
        title: options.yLabel ?? null,
        scale: scale(options.logY, options.yRange, kind === "bars"),
      },
      ...(named
        ? {
            color: {
              field: "series",
              type: "nominal",
              title: null,
              scale: {
                domain: series.map(({ name }) => name),
                range: series.map((each, at) => each.colour ?? classColour(at)),
              },
            },
            ...(kind === "bars" && series.length > 1 ? { xOffset: { field: "series" } } : {}),
          }
        : {}),
    },
  };
}
