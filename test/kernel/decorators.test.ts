// Decorators in cells and in local files: the standard ones, and the legacy ones where tsconfig.json asks for them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TypeService } from "../../kernel/language/service.ts";
import { TestSession } from "../helpers/session.ts";

const plain = (lines: string[] = []): string => lines.join("\n").replace(/\u001b\[\d+m/g, "");

/** A session and a checker in one folder, with this tsconfig.json. */
function open(configuration: string | null) {
  const directory = mkdtempSync(join(tmpdir(), "warpcell-decorators-"));
  const service = new TypeService({ directory, bound: 30_000 });
  const opened = { directory, service, session: null as unknown as TestSession };
  beforeAll(async () => {
    if (configuration !== null) writeFileSync(join(directory, "tsconfig.json"), configuration);
    opened.session = await TestSession.start({ directory });
    service.start();
  });
  afterAll(async () => {
    service.stop();
    await opened.session.end();
    rmSync(directory, { recursive: true });
  });
  return opened;
}

/** The results of cells that are right, to the checker too. */
async function run(
  { session, service }: ReturnType<typeof open>,
  cells: readonly string[],
): Promise<string | undefined> {
  let result: string | undefined;
  for (const [index, code] of cells.entries()) {
    expect(await service.diagnose(index, code), code).toEqual([]);
    const ran = await session.run(code);
    expect(ran.error, plain(ran.error?.traceback)).toBeNull();
    service.commit(index, code);
    result = ran.result;
  }
  return result;
}

describe("standard decorators", () => {
  const opened = open(null);

  test.each<[string, string, ...string[]]>([
    [
      "42",
      "function twice<This, A extends unknown[]>(f: (this: This, ...a: A) => number, _: ClassMethodDecoratorContext) { return function (this: This, ...a: A) { return 2 * f.apply(this, a) } }\nclass D { @twice m(n: number) { return n } }",
      "new D().m(21)",
    ],
    [
      "[ 'field', 'x', 6 ]",
      "const seen: unknown[] = []\nconst plus = (_: undefined, context: ClassFieldDecoratorContext) => { seen.push(context.kind, context.name); return (n: number) => n + 1 }\nclass F { @plus x: number = 5 }",
      "[...seen, new F().x]",
    ],
    [
      "[ 'class', 'C' ]",
      "let of: unknown[] = []; const note = (_: unknown, { kind, name }: DecoratorContext) => { of = [kind, name] }\n@note class C {}\nof",
    ],
    [
      "[ 10, 20 ]",
      "const clamp = <This>({ get, set }: ClassAccessorDecoratorTarget<This, number>, _: ClassAccessorDecoratorContext<This, number>) => ({ get, set(this: This, n: number) { set.call(this, Math.min(n, 10)) } })\nclass V { @clamp accessor value = 5; @clamp static accessor top = 20 }\nconst v = new V(); v.value = 99",
      "[v.value, V.top]",
    ],
    [
      "[ 'second first', 3 ]",
      "const order: string[] = [], mark = (name: string) => (_: unknown, c: ClassMethodDecoratorContext) => { order.push(name) }\nclass O { @mark('first') @mark('second') m() { return 3 } }\nexport { order as o }",
      "[order.join(' '), new O().m()]",
    ],
    [
      "[ 'made', 'made' ]",
      "const made: string[] = [], init = (_: unknown, { addInitializer }: ClassMethodDecoratorContext) => addInitializer(() => void made.push('made'))\nclass I { @init m() {} }\nnew I(); new I()",
      "made",
    ],
    [
      "[ 1, 0, 'undefined' ]",
      "enum E { A, B }; const id = (_: unknown, __: unknown) => {}\n@id class G<T> { @id x = E.B as E; static #n = 0; static n() { return G.#n } }",
      "[new G<string>().x, G.n(), typeof __esDecorate]".replace("__esDecorate", "(globalThis as any).__esDecorate"),
    ],
    [
      "[ 'B' ]",
      "enum K { A, B }; @((_: unknown, __: unknown) => {}) class K1 {}",
      "enum K { B = 1 }; @((_: unknown, __: unknown) => {}) class K2 {}",
      "Object.values(K).filter((x) => typeof x === 'string')",
    ],
  ])("%s", async (result, ...cells) => {
    expect(await run(opened, cells)).toBe(result);
  });

  test("what TypeScript needs to lower one class is not taken by the next cell", async () => {
    const make = (name: string): string =>
      `class ${name} { @((_: unknown, __: unknown) => ({ init: (n: number) => n * ${name.length} })) static accessor n = 10; static #secret = 1; static all = () => ${name}.n + ${name}.#secret }`;
    expect(await run(opened, ["const _a = 'mine'", make("One"), make("Three"), "[One.all(), Three.all(), _a]"])).toBe(
      "[ 31, 51, 'mine' ]",
    );
  });

  test("an error has its own line and column", async () => {
    const { error } = await opened.session.run(
      "const no = (_: unknown, __: unknown) => {}\ninterface Gone {\n  x: 1 }\nclass W { @no m(): never {\n  throw new RangeError('here') } }\nnew W().m()",
    );
    expect(plain(error?.traceback)).toMatch(/^RangeError: here\n\nCell \[\d+\]:5:9\n/);
  });

  test("in a local file, and errors in it", async () => {
    writeFileSync(join(opened.directory, "types.ts"), "export interface Point { x: number }");
    writeFileSync(
      join(opened.directory, "marked.ts"),
      "import { Point } from './types.ts'\nconst plus = (_: undefined, __: unknown) => (n: number) => n + 1\nexport class P implements Point { @plus x: number = 1; fail() {\n    throw new Error('there') } }",
    );
    expect(await run(opened, ["import { P } from './marked.ts'; new P().x"])).toBe("2");
    expect(plain((await opened.session.run("new P().fail()")).error?.traceback)).toMatch(/marked\.ts:4:11\)/);
  });

  test("what is wrong beside them is said as ever", async () => {
    const { error } = await opened.session.run(
      "@((_: unknown, __: unknown) => {}) class Twice {}\nconst b = 1; const b = 2",
    );
    expect(error?.message).toBe("Identifier `b` has already been declared");
    expect(plain(error?.traceback)).toMatch(/Cell \[\d+\]:2:/);
  });

  test("at a parameter they are refused, with the way out", async () => {
    const { error } = await opened.session.run("const d = () => {}\nclass A { constructor(@d x: number) {} }");
    expect(error?.message).toBe(
      'Only legacy decorators can be applied to parameters: set "experimentalDecorators": true in the tsconfig.json beside the notebook.',
    );
    expect(plain(error?.traceback)).toMatch(/Cell \[\d+\]:2:23/);
  });
});

describe("legacy decorators", () => {
  const opened = open(
    '{ // "experimentalDecorators": false\n "compilerOptions": { "experimentalDecorators": true, } }',
  );

  test("where tsconfig.json asks for them", async () => {
    const code =
      "function twice(_: object, __: string, d: PropertyDescriptor) { const f = d.value; d.value = () => f() * 2 }\nclass D { @twice m() { return 21 } }\nnew D().m()";
    expect(await run(opened, [code])).toBe("42");
    expect(
      await run(opened, [
        "const at: unknown[] = []; const p = (_: unknown, key: unknown, index: number) => void at.push(index)\nclass Q { m(@p a: number, @p b: number) {} }",
        "at",
      ]),
    ).toBe("[ 1, 0 ]");
  });
});
