// Mistakes in cells that are being written, beside cells that ran and cells that have not: what a front end underlines.
import { mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { CellsProgram } from "./cells-program.ts";
import { Drafts } from "./drafts.ts";
import { LspClient } from "./lsp-client.ts";
import { TypeService } from "./service.ts";

let directory: string;
let service: TypeService;

beforeAll(() => (directory = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-drafts-")))));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  service = new TypeService({ directory, bound: 30_000 });
  service.start();
});
afterEach(() => service.stop());

/** Each mistake as what is underlined, its code and its message. */
async function underlined(text: string, before: readonly string[] = []): Promise<string[]> {
  const found = await service.mistakes(text, before);
  return found!.map(({ start, end, code, message }) => `${text.slice(start, end)} ${code}: ${message}`);
}

test("a mistake is underlined from its start to its end, in a cell with magics and several lines", async () => {
  expect(await underlined('%time\n\nconst text = "é";\nlet n: number = text;')).toEqual([
    "n TS2322: Type 'string' is not assignable to type 'number'.",
  ]);
  expect(await underlined("%time const wrong: number = 'no'")).toEqual([
    "wrong TS2322: Type 'string' is not assignable to type 'number'.",
  ]);
  expect(await underlined("const right: number = 1; right.toFixed()")).toEqual([]);
});

test("cells above that have not run count as they are written, and what ran counts too", async () => {
  const above = ["const width = 3;\nfunction half(x: number) { return x / 2 }", "class Box { size = width }"];
  const text = "half('3'); new Box().size.toUpperCase(); width + height";
  expect(await underlined(text, above)).toEqual([
    "'3' TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    "toUpperCase TS2339: Property 'toUpperCase' does not exist on type 'number'.",
    "height TS2304: Cannot find name 'height'.",
  ]);
  service.commit(1, "const height = 4;");
  expect((await underlined(text, above)).length).toBe(2);
  // Changed since it ran: what is written now counts.
  expect(await underlined("height.length", ["const height = 4;"])).toEqual([
    "length TS2339: Property 'length' does not exist on type '4'.",
  ]);
  expect(await underlined("height.length", ["const height = 'four';"])).toEqual([]);
  expect(await underlined("half('3')", [])).toEqual(["half TS2304: Cannot find name 'half'."]);
});

const ofAbove = `%%cuda
__constant__ float table[16];
/* __global__ void old(int) */
struct Ball { float radius; };
__global__ void __launch_bounds__(128) fill(float* out, int n) { int local = n; out[local] = table[0]; }
template <typename T> __global__ void scale(T* x) { }
warpcell::Tensor made(int n, bool isOne = false) { return warpcell::empty({n}); }
void used(const warpcell::Tensor& x) { warpcell::Tensor inner(x); }
static warpcell::Tensor helper(int n) { return made(n); }`;

test("kernels, variables and host functions of a CUDA cell that has not run have the types that are written", async () => {
  const launch = "const at = { grid: 1, block: 1 };";
  expect(await underlined(`${launch} fill.nope; scale; table; old; local; inner; helper`, [ofAbove])).toEqual([
    `nope TS2339: Property 'nope' does not exist on type 'Kernel<[out: Tensor<"float32"> | null, n: number]>'.`,
    "old TS2304: Cannot find name 'old'.",
    "local TS2304: Cannot find name 'local'.",
    "inner TS2304: Cannot find name 'inner'.",
    "helper TS2304: Cannot find name 'helper'.",
  ]);
  expect(await underlined(`${launch} fill.launch(at, made(3) as never, '1'); made('3'); used(1)`, [ofAbove])).toEqual([
    "'1' TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    "'3' TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    "1 TS2345: Argument of type 'number' is not assignable to parameter of type 'Tensor<any>'.",
  ]);
  expect(await underlined("made(3, true).sum().item().toFixed(); used(made(2))", [ofAbove])).toEqual([]);
});

test("a type that a cell above declares is known; what only a compiler understands may be anything", async () => {
  const later = "%%cuda\n__global__ void drop(Ball ball) { }";
  const launch = "drop.launch({ grid: 1, block: 1 }, { radius: 'wide' })";
  expect(await underlined(launch, [ofAbove, later])).toEqual([
    "radius TS2322: Type 'string' is not assignable to type 'number'.",
  ]);
  expect(await underlined(launch, [later])).toEqual([]);
  expect(await underlined("made(3, 4, 5)", ["%%cuda\nwarpcell::Tensor made(int n) { return"])).toEqual([
    "made TS2304: Cannot find name 'made'.",
  ]);
});

test("a kernel that has run is what it is", async () => {
  service.declare(1, [{ name: "fill", text: "declare const fill: { launch(n: number): void };" }]);
  expect(await underlined("fill.launch('1')", [ofAbove])).toEqual([
    "'1' TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
  ]);
});

test("of a text that does not parse, the first mistake alone", async () => {
  expect(await underlined("const a = ;\nlet b: number = 'no'; (")).toEqual(["; TS1109: Expression expected."]);
  expect(await underlined("function f() {\n  return 1;\n")).toEqual(["; TS1005: '}' expected."]);
});

test("no mistake where none can be known: CUDA, help, magics, packages to be installed, %types off", async () => {
  for (const text of [
    "%%cuda\n__global__ void k() { nonsense }",
    "nothing?",
    "%%cuda --std",
    "%nope",
    'import pad from "npm:left-pad@1"; pad(3)',
    "%types off\nconst x: number = 'no'",
    "",
  ])
    expect(await underlined(text), text).toEqual([]);
});

test("without the checker nothing is known", async () => {
  service.stop();
  expect(await service.mistakes("1", [])).toBeNull();
});

test("mistakes asked for at once are each of their own text", async () => {
  const texts = Array.from({ length: 8 }, (_, at) => `const n${at}: number = "${at}";`);
  const found = await Promise.all(texts.map((text) => underlined(text, texts.slice(0, 2))));
  expect(found).toEqual(texts.map((_, at) => [`n${at} TS2322: Type 'string' is not assignable to type 'number'.`]));
});

test("documents of cells that have not run keep their names and texts when a cell above has run", () => {
  const program = new CellsProgram();
  const drafts = new Drafts(program);
  const cells = ["const width: number = 3;", "const height = 4;", "const area: number = height;"];
  const before = new Map(
    drafts
      .after(cells)
      .draftModules()
      .map(({ name, text }) => [name, text]),
  );
  expect(before.size).toBe(3);
  program.add(1, cells[0]!);
  drafts.ran(cells[0]!);
  const after = drafts.after(cells).draftModules();
  expect(after).toHaveLength(2);
  for (const { name, text } of after) expect(before.get(name)).toBe(text);
});

/** How often the checker is asked for what is wrong with a text. */
function countChecks(): () => number {
  const asked = vi.spyOn(LspClient.prototype, "request");
  onTestFinished(() => asked.mockRestore());
  return () => asked.mock.calls.filter(([method]) => method === "textDocument/diagnostic").length;
}

test("a cell is checked again when what it leads to has changed, and not when anything else has", async () => {
  const cells = ["const width = 3;", "const area = width * 2;", "const other = 1;", "area.toUpperCase();"];
  const above = cells.slice(0, 3);
  const checks = countChecks();
  const wrong = "toUpperCase TS2339: Property 'toUpperCase' does not exist on type 'number'.";
  expect(await underlined(cells[3]!, above)).toEqual([wrong]);
  const first = checks();
  expect(await underlined(cells[3]!, above)).toEqual([wrong]);
  expect(await underlined(cells[3]!, above.with(2, "const other = 'else';"))).toEqual([wrong]);
  expect(checks()).toBe(first);
  // By way of the cell between.
  expect(await underlined(cells[3]!, above.with(0, "const width: any = 3;"))).toEqual([wrong]);
  expect(await underlined(cells[3]!, above.with(1, "const area = `${width}`;"))).toEqual([]);
  expect(checks()).toBe(first + 2);
});

test("what was found is looked for anew when a cell has run and when a file has changed", async () => {
  const file = join(directory, "known.ts");
  onTestFinished(() => rmSync(file, { force: true }));
  writeFileSync(file, "export const known = 1;\n");
  const text = 'import { known } from "./known.ts"; known.length;';
  const checks = countChecks();
  expect(await underlined(text)).toEqual(["length TS2339: Property 'length' does not exist on type '1'."]);
  service.commit(1, "1 + 1;");
  expect(await underlined(text)).toHaveLength(1);
  service.declare(2, [{ name: "fill", text: "declare const fill: { launch(n: number): void };" }]);
  expect(await underlined(text)).toHaveLength(1);
  expect(checks()).toBe(3);
  writeFileSync(file, "export const known = 'text';\n");
  utimesSync(file, 1e9, 1e9);
  expect(await underlined(text)).toEqual([]);
  // A cell above imports it.
  const above = ['import { known } from "./known.ts"; const copy = known;'];
  expect(await underlined("copy.length;", above)).toEqual([]);
  writeFileSync(file, "export const known = 1;\n");
  utimesSync(file, 2e9, 2e9);
  expect(await underlined("copy.length;", above)).toEqual([
    "length TS2339: Property 'length' does not exist on type '1'.",
  ]);
});

test("a cell below the last that was asked about is added to the others, which are not read again", () => {
  const program = new CellsProgram();
  const draft = vi.spyOn(CellsProgram.prototype, "add");
  onTestFinished(() => draft.mockRestore());
  const drafts = new Drafts(program);
  const cells = Array.from({ length: 12 }, (_, at) => `const value${at} = ${at === 0 ? 1 : `value${at - 1}`};`);
  for (const at of cells.keys()) drafts.after(cells.slice(0, at));
  expect(draft.mock.calls.length).toBe(11);
  expect(drafts.after(cells.slice(0, 11)).draftModules()).toEqual(
    new Drafts(program).after(cells.slice(0, 11)).draftModules(),
  );
});
