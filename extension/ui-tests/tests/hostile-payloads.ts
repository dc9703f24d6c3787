// Makes outputs that nobody's kernel sends: markup in every text, numbers, shapes and structures of nonsense, keys of
// prototypes, drawings with scripts. Each is one of ours with a part of it changed, so that it comes as far as it can.
import { axpy, mime as asmMime } from "./asm-payload";
import { payloadOf, trainingSlices } from "./trace-payload";

export interface Hostile {
  readonly mime: string;
  /** JSON, which keeps keys that a literal would not. */
  readonly data: string;
  readonly what: string;
}

/** What runs if a page takes it for more than text: it leaves a mark, calls a command, or asks for a file. */
export const markups: readonly string[] = [
  "<script>window.hostile = 1</script>",
  '<img src="hostile.png" onerror="window.hostile = 1">',
  '<img src="https://hostile.invalid/x.png">',
  '<svg onload="window.hostile = 1"><script>window.hostile = 1</script></svg>',
  '<svg><foreignObject><body onload="window.hostile = 1"></body></foreignObject></svg>',
  '<svg><use href="https://hostile.invalid/x.svg#a"></use></svg>',
  '<svg><animate onbegin="window.hostile = 1" attributeName="x" dur="1s"></animate></svg>',
  '<svg><a href="javascript:window.hostile = 1"><text>x</text></a></svg>',
  '<a href="javascript:window.hostile = 1">x</a>',
  '<a href=" java\tscript:window.hostile = 1">x</a>',
  '<a href="data:text/html,<script>window.hostile = 1</script>">x</a>',
  '<a href="vbscript:window.hostile = 1">x</a>',
  '<iframe src="javascript:window.hostile = 1"></iframe>',
  '<iframe srcdoc="<script>parent.hostile = 1</script>"></iframe>',
  '<object data="https://hostile.invalid/x"></object>',
  '<embed src="https://hostile.invalid/x">',
  '<link rel="stylesheet" href="https://hostile.invalid/x.css">',
  "<style>@import 'https://hostile.invalid/x.css'; body { display: none }</style>",
  '<div style="background: url(https://hostile.invalid/x.png)">x</div>',
  '<meta http-equiv="refresh" content="0;url=https://hostile.invalid">',
  '<base href="https://hostile.invalid/">',
  '<form action="https://hostile.invalid"><button formaction="javascript:window.hostile = 1">x</button></form>',
  '<input autofocus onfocus="window.hostile = 1">',
  '<details open ontoggle="window.hostile = 1">x</details>',
  '<video src="https://hostile.invalid/x.mp4" onerror="window.hostile = 1"></video>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hostile=1&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=window.hostile=1>"></noscript>',
  "<template><script>window.hostile = 1</script></template>",
  '<button data-commandlinker-command="docmanager:save" data-commandlinker-args="{}">x</button>',
  '<span data-commandlinker-command="kernelmenu:shutdown">x</span>',
  '<form id="jupyterapp"><input name="commands"></form>',
  '<img name="getElementById"><a id="body"></a><form name="documentElement">',
  '"><img src=x onerror=window.hostile=1>',
  "'><svg/onload=window.hostile=1>",
  "</text></svg><script>window.hostile = 1</script>",
  "</textarea></title></style></script><script>window.hostile = 1</script>",
  "${window.hostile = 1}{{constructor.constructor('window.hostile = 1')()}}",
  "\u0000\u0007\u001b[31m\u001b]8;;javascript:window.hostile=1\u0007x\u001b]8;;\u0007",
  "\u202e\u2066txt.exe\u2069\u200b\ufeff",
  "javascript:window.hostile = 1",
  "data:text/html,<script>window.hostile = 1</script>",
  "__proto__",
  "constructor",
  "toString",
  "x".repeat(100_000),
  "\ud800",
  "",
];

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** As JSON. */
const oddities: readonly string[] = [
  "-1",
  "0.5",
  "1e308",
  "-1e308",
  "4294967296",
  "9007199254740993",
  "null",
  '"NaN"',
  "true",
  "[]",
  "{}",
  '[[[[["x"]]]]]',
  nested(2000),
  '{"__proto__": {"hostile": 1}}',
  '{"constructor": {"prototype": {"hostile": 1}}}',
  '{"length": 1000000000}',
  '{"toString": 1, "valueOf": null}',
  "[-1, 0, 4294967296]",
  "[1e15, 1e15, 1e15]",
];

const floats = (values: readonly number[]): string => Buffer.from(Float32Array.from(values).buffer).toString("base64");
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 640 320"><g class="marks"><path class="line" data-name="wave" d="M0 0L10 10" stroke="#112233" fill="none"/><text x="1" y="1">HERE</text></g></svg>`;

const fullMemory = {
  device: "cpu",
  allocated: 4096,
  reserved: 8192,
  peak: 4096,
  free: 4096,
  largestFree: 4096,
  named: 4096,
  places: [{ text: "Cell [3]:4", cell: "a", count: 3, line: 4 }],
  segments: [
    {
      bytes: 8192,
      blocks: [
        { bytes: 4096, count: 1, place: 1, shape: [32, 32], dtype: "float32", names: ["x"], since: 1000 },
        { bytes: 4096, count: 1, place: -1, shape: null, dtype: null, names: [], since: null },
      ],
    },
  ],
  largest: [{ bytes: 4096, count: 1, place: 1, shape: [32, 32], dtype: "float32", names: ["x"], since: 1000 }],
  byCell: [{ text: "Cell [3]", bytes: 4096, blocks: 1 }],
};

const bases: Readonly<Record<string, Record<string, unknown>>> = {
  "application/vnd.warpcell.tensor.v1+json": {
    "application/vnd.warpcell.tensor.v1+json": {
      version: 1,
      shape: [2, 3],
      dtype: "float32",
      device: "cpu",
      size: 6,
      bytes: 24,
      min: 0,
      max: 5,
      mean: 2.5,
      nan: 0,
      inf: 0,
      suspect: false,
      tile: { rows: 2, columns: 3, rowStep: 1, columnStep: 1, values: floats([0, 1, 2, 3, 4, 5]) },
      id: "hostile",
    },
  },
  "application/vnd.warpcell.trace.v1+json": {
    "application/vnd.warpcell.trace.v1+json": {
      ...payloadOf(trainingSlices(1)),
      operations: [
        {
          name: "exp",
          shapes: "float32 [2]",
          device: "cpu",
          calls: 1,
          host: 9,
          hostSelf: 9,
          deviceSelf: 9,
          share: 1,
          places: [0],
        },
      ],
    },
  },
  [asmMime]: { [asmMime]: axpy() },
  "application/vnd.warpcell.memory.v1+json": {
    "application/vnd.warpcell.memory.v1+json": { version: 1, requested: 2 ** 30, memory: fullMemory },
  },
  "application/vnd.warpcell.chart.v1+json": {
    "application/vnd.warpcell.chart.v1+json": {
      version: 1,
      width: 640,
      height: 320,
      area: { left: 40, top: 20, width: 580, height: 260 },
      x: { low: 0, high: 1, isLogarithmic: false },
      y: { low: 0, high: 1, isLogarithmic: false },
      kind: "line",
      categories: ["one", "two"],
    },
    "image/svg+xml": drawing,
  },
};

type Path = readonly (string | number)[];

/** Every place in a value, itself among them. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, each]) => pathsIn(each, [...path, key]))];
}

/** The JSON of a value with what is at a path replaced. */
function changed(value: unknown, path: Path, json: string): string {
  const [key, ...rest] = path;
  if (key === undefined) return json;
  const parts = Object.entries(value as object).map(([name, each]) => [
    JSON.stringify(name),
    name === String(key) ? changed(each, rest, json) : JSON.stringify(each),
  ]);
  return Array.isArray(value)
    ? `[${parts.map(([, text]) => text).join(",")}]`
    : `{${parts.map(([name, text]) => `${name}:${text}`).join(",")}}`;
}

/** With a text in the place of every text that says nothing about its kind, and in the names of fields of records. */
function withText(value: unknown, text: string, key = ""): unknown {
  const kept = /^(kind|unit|dtype|start|duration|track|depth|name|place|detail|cause|kernel|values|time|value|id)$/;
  if (typeof value === "string") return kept.test(key) && !/^(name)$/.test(key) ? value : text;
  if (Array.isArray(value)) return value.map((each) => withText(each, text, key === "names" ? "" : key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      key === "counters" || key === "product" ? text : name,
      // The columns of slices.
      key === "slices" ? each : withText(each, text, name),
    ]),
  );
}

/** Numbers from 0 to below 1, the same for one seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** All of them: texts everywhere in each, drawings, versions, and as many changes at random as make up the number. */
export function hostilePayloads(seed: number, count: number): Hostile[] {
  const random = randomOf(seed);
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const made: Hostile[] = [];
  const fallback = { "text/plain": "fallback", "text/html": markups.join("\n") };
  const add = (mime: string, own: string, what: string, more: object = {}): void => {
    const { [mime]: _, ...beside } = { ...bases[mime], ...fallback, ...more };
    made.push({ mime, data: `{${JSON.stringify(mime)}:${own},${JSON.stringify(beside).slice(1)}`, what });
  };
  for (const [mime, bundle] of Object.entries(bases)) {
    const own = bundle[mime];
    for (const text of markups)
      add(mime, JSON.stringify(withText(own, text)), `texts ${text.slice(0, 60)}`, {
        ...("image/svg+xml" in bundle ? { "image/svg+xml": drawing.replace("HERE", text).replace("wave", text) } : {}),
      });
    for (const json of oddities) add(mime, json, `the whole is ${json.slice(0, 60)}`);
    for (const version of ["0", "2", '"1"', "null", "1e999"])
      add(mime, changed(own, ["version"], version.replace("1e999", "null")), `version ${version}`);
  }
  const chart = "application/vnd.warpcell.chart.v1+json";
  for (const text of markups)
    for (const svg of [text, `<svg xmlns="http://www.w3.org/2000/svg">${text}</svg>`])
      add(chart, JSON.stringify(bases[chart]![chart]), `drawing ${svg.slice(0, 60)}`, { "image/svg+xml": svg });
  const mimes = Object.keys(bases);
  const paths = Object.fromEntries(mimes.map((mime) => [mime, pathsIn(bases[mime]![mime])]));
  while (made.length < count) {
    const mime = oneOf(mimes);
    const path = oneOf(paths[mime]!);
    const json = random() < 0.3 ? JSON.stringify(oneOf(markups)) : oneOf(oddities);
    add(mime, changed(bases[mime]![mime], path, json), `${path.join(".")} is ${json.slice(0, 60)}`);
  }
  return made;
}
