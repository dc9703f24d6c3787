// Charts against their data: what is drawn, read back from the SVG, is the data to a tenth of a pixel; on every device.
import "./cache.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ChartPayload } from "../../native/lib/payloads.ts";
import {
  arange,
  Chart,
  complex,
  full,
  ones,
  Picture,
  plot,
  rand,
  randint,
  randn,
  scatter,
  tensor,
  zeros,
  type Tensor,
} from "../../native/lib/index.ts";
import { readPng } from "../helpers/png.ts";
import { devices } from "./devices.ts";
import { freshSeed } from "../helpers/random.ts";

const display = Symbol.for("Jupyter.display");
const live = Symbol.for("Jupyter.display.live");
const chartMime = "application/vnd.warpcell.chart.v1+json";
type Bundle = { "image/svg+xml": string; "text/plain": string; [chartMime]: ChartPayload };
const bundleOf = (chart: Chart) => (chart as unknown as Record<symbol, () => Bundle>)[display]!();
const any = plot as unknown as ((...args: unknown[]) => Chart) & Record<string, (...args: unknown[]) => Chart>;

interface Drawn {
  readonly kind: string;
  readonly name: string;
  /** In units of the axes; where a line begins anew there is a gap before it. */
  readonly points: { x: number; y: number; isFirst: boolean }[];
  readonly values: string;
}

/** Values at a place of an axis. */
function valueAt({ low, high, isLogarithmic }: ChartPayload["x"], share: number): number {
  if (isLogarithmic) return 10 ** (Math.log10(low) * (1 - share) + Math.log10(high) * share);
  return low * (1 - share) + high * share;
}

function drawnOf(chart: Chart): { marks: Drawn[]; payload: ChartPayload; svg: string; texts: string[] } {
  const { "image/svg+xml": svg, [chartMime]: payload } = bundleOf(chart);
  const { area, x, y } = payload;
  const marks = [
    ...svg.matchAll(
      /<path class="(line|dots|points|bars)" data-name="([^"]*)"(?: data-values="([^"]*)")? d="([^"]*)"/g,
    ),
  ].map(
    ([, kind, name, values = "", path]): Drawn => ({
      kind: kind!,
      name: name!,
      values,
      points: [...path!.matchAll(/([ML])(-?[\d.]+) (-?[\d.]+)(?:V(-?[\d.]+))?/g)].map(([, letter, left, top, bar]) => ({
        x: valueAt(x, (Number(left) - area.left) / area.width),
        y: valueAt(y, 1 - (Number(bar ?? top) - area.top) / area.height),
        isFirst: letter === "M",
      })),
    }),
  );
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);
  return { marks, payload, svg, texts };
}

/** The most that the rounding to a tenth of a pixel moves a value, and the axes' own rounding. */
function boundsOf({ area, x, y }: ChartPayload): { x: number; y: number } {
  const rounding = 0.051;
  return { x: (rounding * (x.high - x.low)) / area.width, y: (rounding * (y.high - y.low)) / area.height };
}

function expectPoints(drawn: Drawn["points"], wanted: readonly (readonly [number, number])[], payload: ChartPayload) {
  const bounds = boundsOf(payload);
  expect(drawn).toHaveLength(wanted.length);
  for (const [at, { x, y }] of drawn.entries()) {
    expect(Math.abs(x - wanted[at]![0])).toBeLessThanOrEqual(bounds.x);
    expect(Math.abs(y - wanted[at]![1])).toBeLessThanOrEqual(bounds.y);
  }
}

const seed = freshSeed();

describe.each(devices)("on $name", ({ name: device }) => {
  test("a line has a point for each element, over its number or over x", () => {
    const y = randn([300], { device, seed });
    const values = [...y.data()];
    const { marks, payload } = drawnOf(plot(y));
    expectPoints(
      marks[0]!.points,
      values.map((value, at) => [at, value]),
      payload,
    );
    const x = rand([300], { device, seed: seed + 1 }).sort().values;
    const over = drawnOf(plot(x, { a: y, b: y.neg() }, { title: "Two", xLabel: "across", yLabel: "up" }));
    expect(over.marks.map(({ kind, name }) => [kind, name])).toEqual([
      ["line", "a"],
      ["line", "b"],
    ]);
    const places = [...x.data()];
    expectPoints(
      over.marks[1]!.points,
      values.map((value, at) => [places[at]!, -value]),
      over.payload,
    );
    for (const text of ["Two", "across", "up", "a", "b"]) expect(over.texts).toContain(text);
  });

  test("whatever holds numbers draws the same", () => {
    const wanted = plot([1, 2, 4, 3]).toSvg();
    const x = tensor([1, 2, 4, 3], { device });
    for (const dtype of ["float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64"] as const)
      expect(plot(x.to(dtype)).toSvg(), dtype).toBe(wanted);
    for (const same of [
      x.reshape([4, 1]).slice(null, 0),
      Float32Array.of(1, 2, 4, 3),
      Int16Array.of(1, 2, 4, 3),
      BigInt64Array.of(1n, 2n, 4n, 3n),
      new Set([1, 2, 4, 3]),
      [1n, 2, 4, 3],
      [tensor(1, { device }), 2, 4, 3] as never,
    ])
      expect(plot(same).toSvg()).toBe(wanted);
    expect(plot(x.gt(2)).toSvg()).toBe(plot([0, 0, 1, 1]).toSvg());
    x.requiresGrad = true;
    expect(plot(x.mul(1)).toSvg()).toBe(wanted);
    const columns = drawnOf(
      plot(
        tensor(
          [
            [1, 5],
            [2, 6],
            [4, 7],
          ],
          { device },
        ),
      ),
    );
    expect(columns.marks.filter(({ kind }) => kind === "line").map(({ name }) => name)).toEqual(["0", "1"]);
    expectPoints(
      columns.marks.find(({ name }) => name === "1")!.points,
      [
        [0, 5],
        [1, 6],
        [2, 7],
      ],
      columns.payload,
    );
  });

  test.each([
    3000, 100_003, 2_000_000,
  ])("a line of %i points keeps the extremes of each column, and is small", (length) => {
    const y = randn([length], { device, seed }).cumsum(0);
    const values = y.data() as Float32Array;
    const chart = plot(y);
    const { marks, payload } = drawnOf(chart);
    expect(JSON.stringify(bundleOf(chart)).length).toBeLessThan(60_000);
    expect(bundleOf(chart)["text/plain"]).toContain(`${length.toLocaleString("en-US")} points`);
    const { points } = marks[0]!;
    const bounds = boundsOf(payload);
    // A stretch of points has its own extremes drawn within a stretch to both sides.
    const stretch = Math.ceil(length / 1024);
    for (let column = 0; column < 64; column++) {
      const [from, to] = [Math.floor((column * length) / 64), Math.floor(((column + 1) * length) / 64)];
      const inside = (margin: number) =>
        points.filter(({ x }) => x >= from - margin && x < to + margin).map(({ y: value }) => value);
      const reference = (margin: number) => values.subarray(Math.max(0, from - margin), to + margin);
      const [narrow, wide] = [reference(-2 * stretch), reference(2 * stretch)];
      const most = (all: Iterable<number>) => [...all].reduce((a, b) => Math.max(a, b));
      const least = (all: Iterable<number>) => [...all].reduce((a, b) => Math.min(a, b));
      expect(most(inside(stretch))).toBeGreaterThanOrEqual(most(narrow) - bounds.y);
      expect(least(inside(stretch))).toBeLessThanOrEqual(least(narrow) + bounds.y);
      expect(most(inside(0))).toBeLessThanOrEqual(most(wide) + bounds.y);
      expect(least(inside(0))).toBeGreaterThanOrEqual(least(wide) - bounds.y);
    }
  });

  test("one NaN and one infinity among many are counted, and leave the rest of their column", () => {
    for (const length of [5000, 200_000]) {
      const y = ones([length], { device });
      y.set([100], NaN);
      y.set([200], Infinity);
      y.set([300], 3);
      y.set([301], -Infinity);
      const { texts, marks, svg } = drawnOf(plot(y));
      expect(texts).toContain("1 NaN, 2 infinite");
      expect(svg.match(/h8l-4-?.7z/g)).toHaveLength(2);
      expect(marks[0]!.points.some(({ y: value }) => Math.abs(value - 3) < 0.01)).toBe(true);
    }
  });

  test("a histogram counts as the elements are", () => {
    const x = randn([20_000], { device, seed }).mul(3);
    const values = [...x.data()];
    const { marks, payload } = drawnOf(plot.histogram(x, { bins: 13, range: [-4, 5] }));
    const counts = new Array<number>(13).fill(0);
    // In float32, as the device compares: no element of such a range is nearer to an edge than that.
    for (const value of values)
      if (value >= -4 && value <= 5) counts[Math.min(12, Math.floor(((value + 4) / 9) * 13))]!++;
    expect(marks[0]!.values.split(" ").map((text) => Number(text.replaceAll(",", "")))).toEqual(counts);
    expect(payload.kind).toBe("histogram");
    const outside = values.filter((value) => value < -4 || value > 5).length;
    expect(drawnOf(plot.histogram(x, { bins: 13, range: [-4, 5] })).texts).toContain(
      `${outside.toLocaleString("en-US")} outside`,
    );
    const sum = (chart: Chart) =>
      drawnOf(chart)
        .marks.flatMap(({ values: text }) => text.split(" "))
        .reduce((total, each) => total + Number(each.replaceAll(",", "")), 0);
    expect(sum(plot.histogram(x))).toBe(20_000);
    expect(sum(plot.histogram(values))).toBe(20_000);
    expect(drawnOf(plot.histogram(x)).marks[0]!.values).toBe(drawnOf(plot.histogram(values)).marks[0]!.values);
    const dice = randint(1, 7, [600], { device, seed });
    expect(drawnOf(plot.histogram(dice)).marks[0]!.values.split(" ").map(Number)).toEqual(
      [...dice.bincount().data()].slice(1).map(Number),
    );
    expect(drawnOf(plot.histogram(tensor([1, NaN, 2, Infinity, 2], { device }))).texts).toContain("1 NaN, 1 infinite");
    expect(sum(plot.histogram(tensor([true, false, true], { device })))).toBe(3);
    expect(sum(plot.histogram(tensor([-1.7e308, 0, 1.7e308], { device, dtype: "float64" })))).toBe(3);
  });

  test("points: where they are, by class or by grade", () => {
    const xy = rand([200, 2], { device, seed });
    const classes = randint(0, 3, [200], { device, seed });
    const { marks, payload, texts } = drawnOf(plot.scatter(xy, { color: classes, labels: ["red", "green"] }));
    const rows = xy.toArray() as number[][];
    const kinds = classes.toArray().map(Number);
    expect(marks.map(({ name }) => name)).toEqual(["red", "green", "2"]);
    for (const [kind, mark] of marks.entries())
      expectPoints(
        mark.points,
        rows.filter((_, at) => kinds[at] === kind).map(([x, y]) => [x!, y!]),
        payload,
      );
    for (const text of ["red", "green", "2"]) expect(texts).toContain(text);
    const graded = drawnOf(plot.scatter(xy, { color: xy.slice(null, 0) }));
    expect(graded.marks.length).toBeGreaterThan(15);
    // From left to right the grades go one way, each in a band of its own.
    for (const [at, mark] of graded.marks.entries())
      if (at > 0)
        expect(Math.min(...mark.points.map(({ x }) => x))).toBeGreaterThanOrEqual(
          Math.max(...graded.marks[at - 1]!.points.map(({ x }) => x)) - 2 * boundsOf(graded.payload).x,
        );
    const apart = drawnOf(
      plot.scatter(xy.slice(null, 0), xy.slice(null, 1).mul(1000), {
        color: [...Array(200).keys()].map((at) => (at % 2 ? "odd" : "even")),
      }),
    );
    expect(apart.marks.map(({ name, points }) => [name, points.length])).toEqual([
      ["even", 100],
      ["odd", 100],
    ]);
    expect(
      plot
        .scatter([
          [1, 2],
          [3, 4],
        ])
        .toSvg(),
    ).toBe(
      plot
        .scatter(
          tensor(
            [
              [1, 2],
              [3, 4],
            ],
            { device },
          ),
        )
        .toSvg(),
    );
  });

  test("charts and pictures are saved, each in its own kind of file", () => {
    const folder = mkdtempSync(join(tmpdir(), "warpcell-plot-"));
    try {
      const [chart, picture] = [plot([1, 4, 2]), plot.image(zeros([2, 2], { device }))];
      chart.save(join(folder, "a.svg"));
      picture.save(join(folder, "a.PNG"));
      expect(readFileSync(join(folder, "a.svg"), "utf8")).toBe(chart.toSvg());
      expect([...readFileSync(join(folder, "a.PNG"))]).toEqual([...picture.toPng()]);
      expect(() => chart.save("a.png")).toThrow('A chart is saved in a file that ends in .svg, but got "a.png".');
      expect(() => picture.save(1 as never)).toThrow("A picture is saved in a file that ends in .png, but got 1.");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("a million points are a picture of less than 200 kB, in which each is", () => {
    const chart = plot.scatter(randn([1_000_000, 2], { device, seed }));
    const bundle = bundleOf(chart);
    expect(JSON.stringify(bundle).length).toBeLessThan(200_000);
    const png = readPng(/base64,([^"]+)"/.exec(bundle["image/svg+xml"])![1]!);
    const { area, x, y } = bundle[chartMime];
    const isPainted = (across: number, down: number) => png.at(Math.round(across), Math.round(down))[3]! > 0;
    // The middle is covered, the corners are free.
    const at = (left: number, top: number): [number, number] => [
      ((left - x.low) / (x.high - x.low)) * area.width * 2,
      (1 - (top - y.low) / (y.high - y.low)) * area.height * 2,
    ];
    for (const [left, top] of [
      [0, 0],
      [1, 1],
      [-1, 0.5],
      [0, -2],
    ] as const)
      expect(isPainted(...at(left, top))).toBe(true);
    expect(isPainted(2, 2)).toBe(false);
    expect(bundle["text/plain"]).toBe("Chart: 1,000,000 points");
  });

  test("an image is an element a pixel, of every layout of its axes", () => {
    const pictureOf = (picture: Picture) => readPng(Buffer.from(picture.toPng()).toString("base64"));
    const last = rand([300, 200, 3], { device, seed });
    const pixels = pictureOf(plot.image(last));
    expect([pixels.width, pixels.height]).toEqual([200, 300]);
    for (const [row, column] of [
      [0, 0],
      [7, 150],
      [299, 199],
    ] as const)
      expect(pixels.at(column, row).slice(0, 3)).toEqual(
        (last.get(row, column).toArray() as number[]).map((value) => Math.round(255 * value)),
      );
    const wanted = plot.image(last).toPng();
    for (const same of [last.moveAxis(-1, 0), last.moveAxis(-1, 0).unsqueeze(0), last.unsqueeze(0)])
      expect(plot.image(same).toPng()).toEqual(wanted);
    expect(plot.image(last.mul(2), { range: [0, 2] }).toPng()).toEqual(wanted);
    const bytes = last.mul(255).round().to("uint8");
    expect(plot.image(bytes).toPng()).toEqual(plot.image(bytes.to("float32").div(255)).toPng());

    const grey = pictureOf(
      plot.image(
        tensor(
          [
            [0, 1],
            [2, 4],
          ],
          { device },
        ),
        { colorMap: "grey", range: [0, 4] },
      ),
    );
    expect([grey.at(0, 0), grey.at(383, 0), grey.at(0, 383), grey.at(383, 383)].map(([red]) => red)).toEqual([
      0, 64, 128, 255,
    ]);
    const classes = pictureOf(
      plot.image(
        tensor(
          [
            [0, 1],
            [10, NaN],
          ],
          { device },
        ),
        { colorMap: "classes" },
      ),
    );
    expect(classes.at(0, 0)).toEqual(classes.at(0, 383));
    expect(classes.at(0, 0)).not.toEqual(classes.at(383, 0));
    expect(classes.at(383, 383)).toEqual([136, 136, 136, 255]);
    const batch = pictureOf(plot.image(zeros([6, 400, 10], { device }), { columns: 6 }));
    expect([batch.width, batch.height]).toEqual([6 * 10 + 5 * 2, 400]);
    const ramp = tensor([[0, 1]], { device });
    const distinct = (picture: ReturnType<typeof pictureOf>) =>
      new Set(Array.from({ length: picture.width }, (_, at) => picture.at(at, 0).join())).size;
    expect(distinct(pictureOf(plot.image(ramp)))).toBe(2);
    expect(distinct(pictureOf(plot.image(ramp, { interpolate: true })))).toBeGreaterThan(50);
    const small = plot.image(rand([4, 5, 4, 3], { device }), { interpolate: true });
    expect(String((small as unknown as Record<symbol, () => { "text/plain": string }>)[display]!()["text/plain"])).toBe(
      "Images: 4 of 5 × 4, in colours",
    );
    expect(
      plot
        .image([
          [0, 1],
          [1, 0],
        ])
        .toPng(),
    ).toEqual(
      plot
        .image(
          tensor(
            [
              [0, 1],
              [1, 0],
            ],
            { device },
          ),
        )
        .toPng(),
    );
    expect(plot.image(zeros([3, 8, 8], { device }), { channels: "none" }).toPng()).not.toEqual(
      plot.image(zeros([3, 8, 8], { device })).toPng(),
    );
    expect(plot.image(zeros([0, 4], { device })).toPng().length).toBeGreaterThan(0);
  });

  test("tensors that cannot be drawn are said", () => {
    const gone = zeros([3], { device });
    gone.dispose();
    const calls: [() => unknown, string][] = [
      [() => any(gone), "plot takes a living tensor"],
      [
        () => any(complex(ones([2], { device }), ones([2], { device }))),
        "plot draws real numbers but got complex64. Draw x.abs(), x.real or x.imag.",
      ],
      [
        () => any(zeros([2, 2, 2], { device })),
        "plot takes a tensor of one axis, or of two whose columns, at most 20, are lines, but got shape [2, 2, 2]. plot.image(x) shows it as a picture.",
      ],
      [() => any(zeros([2, 21], { device })), "but got shape [2, 21]"],
      [
        () => any.scatter!(zeros([2, 3], { device })),
        "plot.scatter takes points as a tensor of shape [n, 2], or x and y apart, but got shape [2, 3].",
      ],
      [
        () => any.image!(zeros([4], { device })),
        "plot.image takes [height, width], [height, width, 3 or 4], [3 or 4, height, width] or a batch of them but got shape [4].",
      ],
      [
        () => any.image!(zeros([4, 4], { device }), { channels: "last" }),
        "plot.image takes 1, 3 or 4 channels on the last axis but got shape [4, 4].",
      ],
      [
        () => any.image!(zeros([2, 4, 4], { device }), { channels: "first" }),
        "plot.image takes 1, 3 or 4 channels on the third axis from the end but got shape [2, 4, 4].",
      ],
    ];
    for (const [call, message] of calls.slice(1)) expect(call).toThrow(message);
    expect(calls[0]![0]).toThrow(/disposed/);
  });
});

describe("axes", () => {
  const ticksOf = (chart: Chart): number[] =>
    drawnOf(chart)
      .svg.match(/<text class="mark"[^>]*text-anchor="end"[^>]*>[^<]*</g)!
      .map((text) => />([^<]*)</.exec(text)![1]!.replaceAll(",", "").replace("−", "-"))
      .map((text) =>
        Number(
          text.replace(
            /×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/,
            (_, power: string) =>
              `e${[...power].map((each) => (each === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(each))).join("")}`,
          ),
        ),
      );

  test.each([
    [[0, 1]],
    [[-3, 7]],
    [[1e-9, 5e-9]],
    [[1e20, 9e20]],
    [[0, 123456]],
    [[-0.001, 0.0004]],
    [[99, 101]],
    [[-1.7e308, 1.7e308]],
    [[1e-300, 3e-290]],
  ])("marks of %j lie at 1, 2 or 5 times a power of ten, and say where", (values) => {
    const { payload } = drawnOf(plot(values));
    const ticks = ticksOf(plot(values));
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    const step = Math.abs(ticks[1]! / 2 - ticks[0]! / 2) * 2;
    const digit = Number(step.toExponential(6).split("e")[0]);
    expect([1, 2, 5, 10]).toContain(digit);
    for (const [at, tick] of ticks.entries()) {
      expect(tick).toBeGreaterThanOrEqual(payload.y.low - Math.abs(step) * 1e-6);
      expect(tick).toBeLessThanOrEqual(payload.y.high + Math.abs(step) * 1e-6);
      if (at > 0) expect(Math.abs(tick / step - ticks[at - 1]! / step)).toBeCloseTo(1, 5);
    }
  });

  test("far from zero the marks are told from where they count", () => {
    const { texts } = drawnOf(plot([1e9, 1e9 + 1e-3, 1e9 + 2e-3]));
    expect(texts).toContain("+ 1,000,000,000");
    expect(texts).toContain("0.0010");
  });

  test.each<[string, () => Chart]>([
    ["nothing", () => plot([])],
    ["no series", () => plot({})],
    ["one point", () => plot([5])],
    ["one value", () => plot([3, 3, 3])],
    ["no number", () => plot([NaN, NaN])],
    ["infinities alone", () => plot([Infinity, -Infinity])],
    ["the smallest number", () => plot([0, 5e-324])],
    ["neighbours", () => plot([1, 1 + 2 ** -52])],
    ["a logarithm of nothing positive", () => plot([0, -1], { logY: true })],
    ["a logarithm of everything", () => plot([5e-324, 1.7e308], { logY: true })],
    ["bars of zero", () => plot({ a: 0, b: 0 })],
    ["points that are none", () => plot.scatter([], [])],
    ["a histogram of nothing", () => plot.histogram([])],
    ["a histogram of one value", () => plot.histogram([2.5, 2.5])],
    ["a histogram of extremes", () => plot.histogram([-1.7e308, 1.7e308])],
    [
      "long names",
      () =>
        plot(
          { ["x".repeat(500)]: 1, ["y".repeat(500)]: 2 },
          { title: "t".repeat(500), xLabel: "l".repeat(500), yLabel: "u".repeat(500) },
        ),
    ],
    ["little room", () => plot([1e-7, 2], { width: 100, height: 100, title: "T", xLabel: "x", yLabel: "y" })],
  ])("%s is drawn", (_name, make) => {
    const { svg } = drawnOf(make());
    expect(svg).not.toMatch(/NaN(?!<)|Infinity|undefined|="-?\d+e/);
    expect(svg.startsWith("<svg xmlns=")).toBe(true);
  });

  test("NaN is a gap, what stands alone a dot, and infinity an arrow at the edge", () => {
    const { marks, svg, texts } = drawnOf(plot([1, 2, NaN, 4, NaN, 3, 2, Infinity, -Infinity]));
    expect(marks[0]!.points.map(({ isFirst }) => isFirst)).toEqual([true, false, true, true, false]);
    expect(marks[1]!.kind).toBe("dots");
    expect(svg.match(/h8l-4-7z/g)).toHaveLength(1);
    expect(svg.match(/h8l-4 7z/g)).toHaveLength(1);
    expect(texts).toContain("2 NaN, 2 infinite");
  });

  test("a logarithmic axis has powers of ten, and no place for what is not above 0", () => {
    const chart = plot([1, 10, 0, 1000, -5], { logY: true });
    const { marks, payload, texts } = drawnOf(chart);
    expect(ticksOf(chart)).toEqual([1, 10, 100, 1000].filter((value) => value <= payload.y.high));
    const line = marks.find(({ kind }) => kind === "line")!;
    for (const [at, value] of [1, 10, 1000].entries()) expect(line.points[at]!.y / value).toBeCloseTo(1, 2);
    expect(texts).toContain("2 not above 0, so not on the logarithmic axis");
  });

  test("lines and points are in one chart", () => {
    const chart = plot([0, 1, 2], { measured: [1, 5, 2], fitted: [2, 3, 4] }, { kind: { measured: "points" } });
    const { marks } = drawnOf(chart);
    expect(marks.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["points measured", "line fitted", "dots fitted"]);
    expect(chart.toSpec()["layer"]).toMatchObject([{ mark: { type: "point" } }, { mark: { type: "line" } }]);
  });

  test("a range is kept exactly", () => {
    const { payload } = drawnOf(plot([1, 2], { xRange: [-1, 5], yRange: [0, 10] }));
    expect([payload.x.low, payload.x.high, payload.y.low, payload.y.high]).toEqual([-1, 5, 0, 10]);
  });

  test("bars stand on zero, with names, side by side", () => {
    const { marks, payload, texts } = drawnOf(plot(["a", "b"], { one: [1, -2], two: [3, 4] }));
    expect(payload.categories).toEqual(["a", "b"]);
    expect(marks.map(({ name, values }) => [name, values])).toEqual([
      ["one", "1 −2"],
      ["two", "3 4"],
    ]);
    expect(payload.y.low).toBeLessThan(-2);
    for (const text of ["a", "b", "one", "two"]) expect(texts).toContain(text);
    expect(drawnOf(plot({ cats: 3, dogs: 4 })).payload.y.low).toBe(0);
    const x = [10, 20, 30];
    expect(drawnOf(plot(x, [1, 2, 3], { kind: "bars" })).marks[0]!.points).toHaveLength(3);
  });
});

describe("a chart", () => {
  test("shows other data after update, with the options of before", () => {
    const chart = plot([1, 2], { title: "Kept", yLabel: "here" });
    expect(chart.update([3, 4, 5])).toBe(chart);
    expect(chart.toSvg()).toBe(plot([3, 4, 5], { title: "Kept", yLabel: "here" }).toSvg());
    chart.update({ a: [1] }, { title: "New" });
    expect(chart.toSvg()).toBe(plot({ a: [1] }, { title: "New", yLabel: "here" }).toSvg());
    expect(plot.scatter([1], [2], { title: "T" }).update([3], [4]).toSvg()).toBe(
      plot.scatter([3], [4], { title: "T" }).toSvg(),
    );
    expect(plot.histogram([1, 2], { bins: 2 }).update([5, 6, 7]).toSvg()).toBe(
      plot.histogram([5, 6, 7], { bins: 2 }).toSvg(),
    );
    expect(
      plot
        .image([[0, 1]], { colorMap: "grey" })
        .update([[1, 0]])
        .toPng(),
    ).toEqual(plot.image([[1, 0]], { colorMap: "grey" }).toPng());
  });

  test("grows point by point", () => {
    const chart = plot({ loss: [] }, { title: "T" });
    for (const value of [3, 2, tensor(1)]) chart.add({ loss: value });
    expect(chart.toSvg()).toBe(plot({ loss: [3, 2, 1] }, { title: "T" }).toSvg());
    chart.add({ accuracy: 0.5 });
    expect(
      drawnOf(chart)
        .marks.filter(({ kind }) => kind === "line")
        .map(({ name }) => name),
    ).toContain("loss");
    expect(plot([]).add(1).add(2n).toSvg()).toBe(plot([1, 2]).toSvg());
    expect(plot([]).add({ a: 1 }).add({ a: 2 }).toSvg()).toBe(plot({ a: [1, 2] }).toSvg());
    const over = plot([10], { a: [1] })
      .add(20, { a: 2 })
      .add(30, { a: 3 });
    expect(drawnOf(over).marks[0]!.points.map(({ x }) => Math.round(x))).toEqual([10, 20, 30]);
    const long = plot({ y: [] });
    for (let at = 0; at < 100_000; at++) long.add({ y: at % 1000 });
    expect(JSON.stringify(bundleOf(long)).length).toBeLessThan(60_000);
    expect(bundleOf(long)["text/plain"]).toContain("100,000 points");
  });

  test("copies what it is given", () => {
    const values = Float64Array.of(1, 2, 3);
    const x = tensor([1, 2, 3], { device: "cpu", dtype: "float64" });
    const charts = [plot(values), plot(x)];
    const before = charts.map((chart) => chart.toSvg());
    values.fill(9);
    x.fill_(9);
    expect(charts.map((chart) => chart.toSvg())).toEqual(before);
  });

  test("tells who shows it of each change", () => {
    const chart = plot([1]);
    const picture = plot.image([[1, 2]]);
    let changes = 0;
    for (const each of [chart, picture])
      (each as unknown as Record<symbol, (changed: () => void) => void>)[live]!(() => changes++);
    chart.add(2);
    chart.update([1, 2, 3]);
    picture.update([[2, 1]]);
    expect(changes).toBe(3);
    expect(() => chart.update("x")).toThrow();
    expect(changes).toBe(3);
  });

  test("is a specification of Vega-Lite with its data", () => {
    const spec = plot([1, 2], { a: [3, NaN], b: [5, 6] }, { title: "T", logY: true }).toSpec() as unknown as {
      $schema: string;
      title: string;
      mark: { type: string };
      data: { values: object[] };
      encoding: { y: { scale: object } };
    };
    expect(spec.$schema).toBe("https://vega.github.io/schema/vega-lite/v5.json");
    expect([spec.title, spec.mark.type]).toEqual(["T", "line"]);
    expect(spec.data.values).toEqual([
      { x: 1, y: 3, series: "a" },
      { x: 2, y: null, series: "a" },
      { x: 1, y: 5, series: "b" },
      { x: 2, y: 6, series: "b" },
    ]);
    expect(spec.encoding.y.scale).toEqual({ type: "log" });
    expect(plot.histogram([1, 2, 3]).toSpec()["mark"]).toEqual({ type: "bar", tooltip: true });
    expect(JSON.parse(JSON.stringify(plot({ x: 1 }).toSpec()["data"]))).toEqual({ values: [{ x: "x", y: 1 }] });
  });

  test("is drawn with texts that are texts", () => {
    const text = "<script>\"&'</script>";
    const { svg } = drawnOf(plot({ [text]: [1, 2] }, { title: text, xLabel: text, yLabel: text }));
    expect(svg).not.toContain("<script");
    expect(svg).toContain("&lt;script&gt;&quot;&amp;'&lt;/script&gt;");
  });

  test("reads as a line of text, or one a series", () => {
    const lines = (chart: Chart) => bundleOf(chart)["text/plain"].split("\n");
    expect(lines(plot([1, 4], { title: "T" }))).toEqual(["T: 2 points, ⡈ 1 … 4"]);
    expect(lines(plot({ a: [1], bc: [2, 2] }))).toEqual(["Chart: 3 points", "a  1", "bc ⠒ 2"]);
    expect(lines(plot([]))).toEqual(["Chart: no points"]);
    expect(lines(plot.scatter([1, 2, 3], [1, 2, 3], { color: ["a", "b", "a"] }))).toEqual([
      "Chart: 3 points, a 2, b 1",
    ]);
    expect(lines(plot(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, [at]]))))).toHaveLength(10);
  });
});

test.each<[() => unknown, string]>([
  [
    () => any(),
    'plot takes a tensor or an array of numbers but got nothing. Write plot(y), plot(x, y) or plot({ a: y1, b: y2 }), with options at the end: plot(y, { title: "…" }).',
  ],
  [() => any("file.csv"), 'plot takes a tensor or an array of numbers but got "file.csv".'],
  [() => any(5), "plot takes a tensor or an array of numbers but got 5."],
  [() => any([1], [2], [3]), "plot takes a tensor or an array of numbers but got an array of 1."],
  [
    () => any([[1, 2], [3]]),
    "plot takes numbers as y but got an array of 2 at place 0. Several of them have names: plot({ a: …, b: … }).",
  ],
  [() => any(["a", 1]), 'plot takes numbers as y but got "a" at place 0.'],
  [() => any([1, undefined]), "plot takes numbers as y but got undefined at place 1."],
  [() => any([1, 2], [1]), "plot takes as many numbers as y as there are in x, 2, but got 1."],
  [() => any([1, 2], { a: [1] }), "plot takes as many numbers as a as there are in x, 2, but got 1."],
  [
    () => any({ a: [1], b: "c" }),
    'plot takes a tensor or an array of numbers as b but got "c". Options come after what is drawn: plot({ a: y }, { title: "…" }).',
  ],
  [() => any([1], { titles: "T" }), "plot has no option titles. Write title."],
  [
    () => any([1], { kind: "pie" }),
    'plot takes "line", "points" or "bars", or "line" or "points" by name, as kind but got "pie".',
  ],
  [() => any({ a: [1] }, { kind: { b: "points" } }), "plot has no series b, which kind names. Its series are a."],
  [() => any([1], { width: 5 }), "plot takes a number of pixels from 100 to 4000 as width but got 5."],
  [() => any([1], { yRange: [2, 1] }), "plot takes two finite numbers, the smaller first, as yRange but got [2, 1]."],
  [
    () => any([1], { logY: true, yRange: [0, 1] }),
    "plot takes a yRange above 0 for a logarithmic axis but got [0, 1].",
  ],
  [() => any([1], { logX: 1 }), "plot takes true or false as logX but got 1."],
  [
    () => any.scatter!(),
    "plot.scatter takes points as a tensor of shape [n, 2], or x and y apart, but got another count of arguments.",
  ],
  [() => any.scatter!(5), "plot.scatter takes points as a tensor of shape [n, 2], or x and y apart, but got 5."],
  [
    () => any.scatter!([1, 2]),
    "plot.scatter takes points as pairs, [[x, y], …], or x and y apart, but got 1 at place 0.",
  ],
  [() => any.scatter!([1, 2], [1]), "plot.scatter takes as many numbers as y as there are in x, 2, but got 1."],
  [
    () => any.scatter!([1], [1], { color: [1, 2] }),
    "plot.scatter takes as many values as color as there are points, 1, but got 2.",
  ],
  [
    () => any.scatter!([1], [1], { color: "red" }),
    'plot.scatter takes a tensor or an array with a number or a text for each point as color but got "red".',
  ],
  [
    () => any.scatter!([...Array(11).keys()], [...Array(11).keys()], { color: [..."abcdefghijk"] }),
    "plot.scatter tells at most 10 classes apart but color has 11 different texts.",
  ],
  [() => any.scatter!([1], [1], { labels: [1] }), "plot.scatter takes a list of texts as labels but got [1]."],
  [() => any.scatter!([1], [1], { size: 0 }), "plot.scatter takes a number of at least 1 as size but got 0."],
  [
    () => any.histogram!(),
    "plot.histogram takes a tensor or an array of numbers, and options, but got undefined. Write plot.histogram(x, { bins: 20 }).",
  ],
  [() => any.histogram!([1], 20), "plot.histogram takes a tensor or an array of numbers, and options, but got 20."],
  [() => any.histogram!([1], { bins: 0 }), "plot.histogram takes a whole number from 1 to 1000 as bins but got 0."],
  [
    () => any.histogram!([1], { density: true }),
    "plot.histogram has no option density. Its options are title, xLabel, yLabel, width, height, logY, range, bins.",
  ],
  [
    () => any.image!(5),
    "plot.image takes a tensor of at least two axes, or rows of numbers, but got 5. Give a list of numbers a shape: plot.image(tensor(x).reshape([28, 28])).",
  ],
  [
    () => any.image!([1, 2]),
    "plot.image takes a tensor of at least two axes, or rows of numbers, but got an array of 2.",
  ],
  [
    () => any.image!([[1]], { colorMap: "jet" }),
    'plot.image takes "auto", "sequential", "diverging", "grey" or "classes" as colorMap but got "jet".',
  ],
  [() => any.image!([[1]], { columns: 0 }), "plot.image takes a whole number of at least 1 as columns but got 0."],
  [
    () => (plot([1]) as unknown as { add(...args: unknown[]): void }).add(),
    "add takes a number for each series but got nothing. Write chart.add({ loss: 0.3 }), chart.add(0.3), or with x first chart.add(7, { loss: 0.3 }).",
  ],
  [
    () => (plot([1]) as unknown as { add(...args: unknown[]): void }).add("x"),
    'add takes a number for each series but got "x".',
  ],
  [
    () => (plot([1]) as unknown as { add(...args: unknown[]): void }).add({ a: "x" }),
    'add takes a number for each series but got "x".',
  ],
  [
    () => plot({ a: [1], b: [2] }).add(3),
    "add takes an object with the series as names, since the chart has 2, but got 3. Write chart.add({ a: … }).",
  ],
  [
    () => (scatter as unknown as typeof any)(zeros([3, 2], { device: "cpu" }), { color: [1, 2, 3] }),
    "Write scatter(axis, index, source, { reduce, includeSelf }). Points are drawn by plot.scatter(x).",
  ],
  [
    () => zeros([3], { device: "cpu" }).histogram({ title: "T" } as never),
    "histogram has no option title. It counts; plot.histogram(x, { title }) draws.",
  ],
  [
    () => plot.histogram([1, 2]).add(3),
    "add takes a chart of lines, points or bars, but this one is made of all its data at once. Write chart.update(x).",
  ],
])("%s", (call, message) => {
  expect(call).toThrow(message);
});

test("a scatter of more points than are drawn says so", () => {
  const length = 2 ** 22 + 2;
  const some: Tensor = full([length], 1, { device: "cpu" });
  const { texts } = drawnOf(plot.scatter(some, arange(length, { device: "cpu" })));
  expect(texts).toContain(`every 2nd of ${length.toLocaleString("en-US")} points`);
});

test("dates along x make an axis of time, for lines, points and what is added", () => {
  const days = ["2024-03-01", "2024-03-02", "2024-03-31"];
  const axisOfChart = (chart: object) =>
    (Object(chart)[Symbol.for("Jupyter.display")]()["application/vnd.warpcell.chart.v1+json"] as { x: object }).x;
  const whole = { low: Date.parse("2024-03-01"), high: Date.parse("2024-03-31"), isLogarithmic: false, isTime: true };
  const chart = plot(days, { price: [3, 1, 2] });
  expect(axisOfChart(chart)).toEqual(whole);
  expect(chart.toSvg()).toContain(">11 Mar</text>");
  expect(chart.toSvg()).toContain(">2024</text>");
  expect(
    axisOfChart(
      plot(
        days.map((each) => new Date(each)),
        [3, 1, 2],
      ),
    ),
  ).toEqual(whole);
  expect(chart.toSpec()["encoding"]).toMatchObject({ x: { type: "temporal", scale: { type: "utc" } } });
  expect(axisOfChart(plot.scatter(days, [3, 1, 2]))).toMatchObject({ isTime: true });
  const bars = plot(days, [3, 1, 2], { kind: "bars" });
  expect(axisOfChart(bars)).not.toHaveProperty("isTime");
  expect(
    axisOfChart(
      plot(
        days.map((each) => new Date(each)),
        [3, 1, 2],
        { kind: "bars" },
      ),
    ),
  ).toMatchObject({
    isTime: true,
  });
  expect(axisOfChart(plot(["2020", "2021"], [1, 2]))).not.toHaveProperty("isTime");
  const live = plot({ a: [] as number[] });
  live.add(new Date("2024-03-01"), { a: 1 }).add(new Date("2024-03-31"), { a: 2 });
  expect(axisOfChart(live)).toEqual(whole);
  expect(() => live.add("2024" as unknown as Date, { a: 1 })).toThrow("add takes a number for each series");
});
