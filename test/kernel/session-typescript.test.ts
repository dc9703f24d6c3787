// TypeScript cells in a real session process: values, output, errors at their places, modules, displays, comms.
import { mkdtempSync, rmSync, utimesSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestSession } from "../helpers/session.ts";

let session: TestSession;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "warpcell-session-"));
  session = await TestSession.start({ directory });
});

afterAll(async () => {
  await session.end();
  rmSync(directory, { recursive: true });
});

/** Traceback without colours. */
function plain(lines: string[] | undefined): string {
  return (lines ?? []).join("\n").replace(/\u001b\[\d+m/g, "");
}

describe("values and output", () => {
  test("the last expression is the result, and a silent cell has none", async () => {
    expect((await session.run("6 * 7")).result).toBe("42");
    expect((await session.run("'text'")).result).toBe("'text'");
    expect((await session.run("undefined")).result).toBeUndefined();
    expect((await session.run("8", { silent: true })).result).toBeUndefined();
  });

  test("_ is the last value and _error the last error", async () => {
    await session.run("41");
    expect((await session.run("_ + 1")).result).toBe("42");
    await session.run("throw new RangeError('far')");
    expect((await session.run("_error.message")).result).toBe("'far'");
  });

  test("_ and _error that a notebook declares are its own", async () => {
    const own = await TestSession.start({ directory });
    for (const code of ["const _ = 'mine', _error = 'mine too'", "5", "throw 1"]) await own.run(code);
    expect((await own.run("[_, _error]")).result).toBe("[ 'mine', 'mine too' ]");
    await own.end();
  });

  test("console and process streams print in order, and join into few events", async () => {
    const { stdout, stderr, events } = await session.run(
      "console.log('a'); process.stdout.write('b\\n'); console.error('c'); for (let i = 0; i < 20000; i++) console.log(i)",
    );
    expect(stdout).toBe(`a\nb\n${Array.from({ length: 20000 }, (_, i) => `${i}\n`).join("")}`);
    expect(stderr).toBe("c\n");
    expect(events.length).toBeLessThan(500);
  });

  test("what a cell prints before it computes is seen while it computes", async () => {
    // The cell spins until it is seen that what it printed has come, right behind another's burst of output.
    const own = await TestSession.start({ directory });
    const seen = join(directory, "seen");
    own.send("for (let i = 0; i < 1000; i++) console.log(i)");
    const request = own.send(
      `import { existsSync } from "node:fs"; console.log('first'); console.log('second'); while (!existsSync(${JSON.stringify(seen)})) ; 'done'`,
    );
    await own.until(() => own.printed(request, "stdout") === "first\nsecond\n");
    writeFileSync(seen, "");
    expect((await own.ended(request)).result).toBe("'done'");
    await own.end();
  });

  test("text keeps its place between displays", async () => {
    const { events } = await session.run("console.log('before'); await display(1); console.log('after')");
    expect(events.map(({ type }) => type)).toEqual(["stream", "display", "stream", "done"]);
  });

  test("a late timer and a late promise print under their own cell", async () => {
    const first = session.send(
      "let release: () => void; const released = new Promise<void>((go) => { release = go }); let isReleased = false; const waits = setInterval(() => { if (isReleased) { clearInterval(waits); console.log('timer') } }, 1); void released.then(() => console.log('promise')); 1",
    );
    await session.ended(first);
    const second = session.send("release(); isReleased = true; console.log('second'); await new Promise(() => {})");
    await session.until(() => session.printed(first, "stdout") === "promise\ntimer\n");
    expect(session.printed(second, "stdout")).toBe("second\n");
    session.agent({ type: "interrupt", request: second });
    await session.ended(second);
  });

  test("a timer's callback is called on its timer", async () => {
    const { result } = await session.run(
      "let ticks = 0; setInterval(function () { ticks++; clearInterval(this) }, 1); await new Promise((go) => setTimeout(go, 20)); ticks",
    );
    expect(result).toBe("1");
  });

  test("a character whose bytes come in two writes is one", async () => {
    const { stdout } = await session.run(
      "const [a, b, ...rest] = Buffer.from('é🙂'); for (const part of [[a], [b, rest[0]], rest.slice(1)]) process.stdout.write(Uint8Array.from(part)); process.stdout.write('!\\n')",
    );
    expect(stdout).toBe("é🙂!\n");
  });

  test("errors that nobody awaits are printed under their own cell, and the session lives", async () => {
    const first = session.send(
      "setTimeout(() => { throw new Error('of a timer') }, 10); void (async () => { await 0; throw new Error('of a promise') })(); 1",
    );
    await session.ended(first);
    const { stderr } = await session.run("await new Promise((go) => setTimeout(go, 40))");
    expect(stderr).toBe("");
    expect(session.printed(first, "stderr")).toContain("of a timer");
    expect(session.printed(first, "stderr")).toContain("of a promise");
    expect((await session.run("1 + 1")).result).toBe("2");
  });

  test("each end writes its token to both descriptors, after native output", async () => {
    const { events } = await session.run("require('node:fs').writeSync(1, 'native text')");
    const done = events.at(-1)!;
    if (done.type !== "done") throw new Error("Expected done to be last.");
    expect(done.token).toMatch(/^\u001e[0-9a-f]{32}\u001e$/);
    const { native } = session;
    await session.until(() => native.stdout.includes(done.token) && native.stderr.includes(done.token));
    expect(native.stdout).toContain(`native text${done.token}`);
  });
});

describe("classes and functions", () => {
  test("a class knows itself while its static members are made, and may extend its namesake of an earlier cell", async () => {
    expect(
      (
        await session.run(
          "class Own { static count = 2; static { Own.count++ } static root = new Own(); static make() { return new Own() } }; [Own.count, Own.root instanceof Own, Own.make() instanceof Own]",
        )
      ).result,
    ).toBe("[ 3, true, true ]");
    expect(
      (
        await session.run(
          "class Own extends Own { extra = 1 }; [new Own().extra, Own.count, Own.make() instanceof Own]",
        )
      ).result,
    ).toBe("[ 1, 3, false ]");
  });

  test("the text of a function has its names and imports as they were written", async () => {
    await session.run("const factor = 3, f = (x: number) => x;");
    const { result } = await session.run(
      'String(async (x: number) => { const { sep } = await import("node:path"); return f(x) * factor + sep.length + `${import.meta.url}`; })',
    );
    expect(result).toContain('const { sep } = await import("node:path");');
    expect(result).toContain("return f(x) * factor + sep.length + `${import.meta.url}`;");
    expect((await session.run("const $$ = 1; String(() => $$ + factor)")).result).toBe("'() => $$ + factor'");
    // Lines of calls that have a device work are noted.
    const filled = await session.run(
      "const twice = (n: number) => new Array(n).fill(2); [new Function(`return (${(n: number) => { return twice(n).fill(n); }})`).length, String((n: number) => new Uint8Array(n).fill(1).sort())]",
    );
    expect(filled.result).toMatch(/^\[ 0, '\(n\) => \(new Uint8Array\(n\)\)\.fill\(1\)\.sort\(\)' \]$/);
  });

  test("an async function can be run from its text", async () => {
    const code =
      "const work = async (n: number) => { for await (const x of [n, 1]) n += x; for await (const x of [1]) { n += x } return (await n) + await Promise.resolve(1) }; ";
    expect(
      (
        await session.run(
          `${code} [String(work).includes("$"), work.toString() === \`\${work}\`, await new Function(\`return (\${work})(2)\`)(), await work(2)]`,
        )
      ).result,
    ).toBe("[ false, true, 7, 7 ]");
    expect(
      (
        await session.run(
          "[`${Math.max}`, Function.prototype.toString.name, (() => { try { Function.prototype.toString.call(1) } catch (e) { return e.name } })()]",
        )
      ).result,
    ).toBe("[ 'function max() { [native code] }', 'toString', 'TypeError' ]");
  });

  test.each([
    ["() => 1", "[Function (anonymous)]"],
    ["async () => 1", "[AsyncFunction (anonymous)]"],
    ["(class {});", "[class (anonymous)]"],
    ["(function named() {})", "[Function: named]"],
  ])("%s is shown as %s", async (code, shown) => {
    expect((await session.run(code)).result).toBe(shown);
  });
});

describe("errors", () => {
  test("show the cell's own line with a caret, the frames, the causes, and nothing of ours", async () => {
    const first = session.send(
      "interface Gone {\n  x: number\n}\nfunction inner(): never {\n  throw new TypeError('inner', { cause: new Error('root') })\n}",
    );
    await session.ended(first);
    const { error } = await session.run("function outer() { inner() }\n\nouter()");
    expect(error).toMatchObject({ name: "TypeError", message: "inner" });
    const text = plain(error?.traceback);
    expect(text).toContain(
      `Cell [${first}]:5:9\n  4 | function inner(): never {\n> 5 |   throw new TypeError('inner', { cause: new Error('root') })\n    |         ^`,
    );
    expect(text).toContain(
      `    at inner (Cell [${first}]:5:9)\n    at outer (Cell [${first + 1}]:1:20)\n    at Cell [${first + 1}]:3:1`,
    );
    expect(text).toContain("Caused by:\nError: root");
    expect(text).not.toMatch(/node:internal|inspector|dist\/|\$\$|cell:\/\//);
  });

  test("what cannot be imported has no frames of ours, and a file of JSON says how", async () => {
    const { error } = await session.run('import nowhere from "./nowhere.json";');
    expect(error?.traceback.filter((line) => line.startsWith("    at "))).toEqual([]);
    await session.run('const { writeFileSync: writeJson } = await import("node:fs"); writeJson("settings.json", "{}")');
    expect((await session.run('import settings from "./settings.json";')).error?.message).toMatch(
      /needs an import attribute of type "json": write import … from "\.\/settings\.json" with \{ type: "json" \}\.$/,
    );
    await session.run('(await import("node:fs")).rmSync("settings.json")');
  });

  test("an error from deep within the library has its place in the cell, and ten frames", async () => {
    await session.run('import { tensor as deep } from "warpcell"; const three = deep([1, 2, 3]);');
    const lines = plain((await session.run("const unit = 1;\nthree.get(5)")).error?.traceback).split("\n");
    expect(lines.slice(1)).toEqual([
      "",
      expect.stringMatching(/^Cell \[\d+\]:2:7$/),
      "  1 | const unit = 1;",
      "> 2 | three.get(5)",
      "    |       ^",
      expect.stringMatching(/^ {4}at Cell \[\d+\]:2:7$/),
    ]);
    const recursion =
      "function deeper(n: number): never { if (n === 0) throw new Error('end'); return deeper(n - 1); }";
    const frames = (await session.run(`${recursion} deeper(30)`)).error!.traceback.filter((line) =>
      /^ {4}at /.test(line),
    );
    expect(frames.length).toBe(10);
  });

  test.each(["randn", "softmax", "nn", "Tensor"])("%s of the library, not imported", async (name) => {
    expect((await session.run(`${name}([2])`)).error?.message).toBe(
      `${name} is not defined: write import { ${name} } from "warpcell" first.`,
    );
  });

  test.each([
    ["wc.no_grad(() => 1)", "wc.no_grad is not a function: write wc.noGrad."],
    ["new wc.Linear(2, 3)", "wc.Linear is not a constructor: write wc.nn.Linear."],
    ["const other = { image: 1 }; (other as any).image()", "other.image is not a function"],
    [
      "const start = new wc.Event(); start.elapsed()",
      "start.elapsed is not a function. Did you mean start.elapsedTime?",
    ],
    ["wc.nn.init.normal_(made([1]))", "There is no nn.init.normal_: write nn.init.normal(…)."],
    ["wc.nn.init.norml(made([1]))", "wc.nn.init.norml is not a function. Did you mean wc.nn.init.normal?"],
    ["made([1]).resembles(made([1]))", "made(...).resembles is not a function"],
    ["made([1]).clip(0, 1)", "A tensor has no clip: write x.clamp(0, 1)."],
    ["wc.random.randn(3)", "Cannot read properties of undefined (reading 'randn'): write wc.randn."],
    ["wc.nn.functional.relu(1)", "Cannot read properties of undefined (reading 'relu'): write wc.relu."],
    ["const empty: any = {}; empty.room.randn(3)", "Cannot read properties of undefined (reading 'randn')"],
    ["made([1]).sum(axis=0)", "axis is not defined: an argument by name is an option, ({ axis: … })."],
    ["undeclared = 3", "undeclared is not defined: write let undeclared = … first."],
    ["undeclared == 3", "undeclared is not defined"],
    [
      "print(1)",
      "print is not defined, because it belongs to Python: console.log(x) prints, and the value of a cell's last line is shown by itself.",
    ],
  ])("%s says what to write", async (source, message) => {
    await session.run('import * as wc from "warpcell"; import { tensor as made } from "warpcell"');
    expect((await session.run(source)).error?.message).toBe(message);
  });

  test("a failed cell keeps what it declared before, and forgets what never got a value", async () => {
    const { error } = await session.run("let early = 1; let late = nothingOfThatName; 2");
    expect(error).toMatchObject({ name: "ReferenceError", message: "nothingOfThatName is not defined" });
    expect((await session.run("early")).result).toBe("1");
    expect((await session.run("late")).error?.message).toBe("late is not defined");
    expect((await session.run("typeof late")).result).toBe("'undefined'");
  });

  test("a name has no value, for anybody, before its declaration has run", async () => {
    const own = await TestSession.start({ directory });
    writeFileSync(
      join(directory, "asks.cjs"),
      "exports.before = globalThis._; exports.has = '_' in globalThis; exports.now = () => globalThis._",
    );
    expect((await own.run("import _ from './asks.cjs'; [_.before, _.has, _.now() === _]")).result).toBe(
      "[ undefined, false, true ]",
    );
    expect((await own.run("const cache = globalThis.cache ??= new Map(); cache.size")).result).toBe("0");
    await own.run("const readsLater = () => later; const showsClass = () => Late.name");
    expect((await own.run("readsLater(); const later = 1")).error?.message).toBe("later is not defined");
    expect(
      (await own.run("const later = 2, { other } = { other: 3 }; class Late {} [readsLater(), showsClass()]")).result,
    ).toBe("[ 2, 'Late' ]");
    expect((await own.run("globalThis.later = 4; later")).result).toBe("4");
    await own.end();
  });

  test.each([
    ["const early = () => soon; early(); const soon = 1", "soon"],
    ["hoisted(); const soonToo = 1; function hoisted() { return { soonToo } }", "soonToo"],
    ["const calls = () => laterCalled(); calls(); const laterCalled = () => 1", "laterCalled"],
    ["const makes = () => new LaterClass(); makes(); class LaterClass {}", "LaterClass"],
    ["const takes = () => taken; takes(); const { taken, more = taken } = { taken: 1 }", "taken"],
    ["const waits = async () => awaited; await waits(); let awaited = 1", "awaited"],
  ])("a function that reads a name too early fails: %s", async (code, name) => {
    const failure = { name: "ReferenceError", message: `Cannot access '${name}' before initialization` };
    expect((await session.run(code)).error).toMatchObject(failure);
    // As when it is run again: the value of an earlier run is not that of this one.
    await session.run(`let ${name}: any = () => 1`);
    expect((await session.run(code)).error).toMatchObject(failure);
    expect((await session.run(`String(${name})`)).result).toBe("'() => 1'");
  });

  test("a function of a cell that failed reads what a later cell declares", async () => {
    expect(
      (await session.run("String(0); const readsMissing = () => missing; throw new Error('before'); const missing = 1"))
        .error?.message,
    ).toBe("before");
    expect((await session.run("readsMissing()")).error?.message).toBe("Cannot access 'missing' before initialization");
    expect((await session.run("const missing = 2; readsMissing()")).result).toBe("2");
  });

  test("a function that could read a name too early reads and calls it when it has its value", async () => {
    expect(
      (
        await session.run(
          "String(0); const inTime = () => [value1, { value1 }, call1(2)]; const value1 = 1, call1 = (n: number) => n * 2; inTime()",
        )
      ).result,
    ).toBe("[ 1, { value1: 1 }, 4 ]");
    expect(
      (await session.run("String(0); const wrongly = () => { value2() }; const value2: any = 1; wrongly()")).error
        ?.message,
    ).toBe("value2 is not a function");
    expect(
      (await session.run("String(0); const wrongly2 = () => { value3.launch({}) }; const value3: any = 1; wrongly2()"))
        .error?.message,
    ).toBe("value3.launch is not a function");
  });

  test("names that every object has are names like any other", async () => {
    expect((await session.run("var constructor; constructor")).result).toBeUndefined();
    expect((await session.run("let valueOf = nothingOfThatName")).error?.name).toBe("ReferenceError");
    expect((await session.run("valueOf === globalThis.valueOf")).result).toBe("true");
    await session.run("const toString = () => 'mine', __proto__ = 7");
    expect((await session.run("[toString(), __proto__]")).result).toBe("[ 'mine', 7 ]");
  });

  test("messages name variables, not where they live", async () => {
    await session.run("const notCallable = 1");
    expect((await session.run("notCallable()")).error?.message).toBe("notCallable is not a function");
    const within = "let notAt = 0; (() => { const all = [[1]]; (all[notAt] as any).lerp_(1); })()";
    expect((await session.run(within)).error?.message).toBe("all[notAt].lerp_ is not a function");
    expect((await session.run("notCallable.launch({ grid: 1 })")).error?.message).toBe(
      "notCallable.launch is not a function",
    );
  });

  test("what JavaScript calls for the library is as little shown as the library", async () => {
    const { error } = await session.run("import { ones } from 'warpcell'\nones([8]).add(ones([3]))");
    expect(plain(error?.traceback)).toMatch(/\^\n {4}at Cell \[\d+\]:2:11$/);
    expect(plain((await session.run("[1].map(() => { throw new Error('mine') })")).error?.traceback)).toMatch(
      /at Array\.map \(<anonymous>\)\n {4}at Cell/,
    );
  });

  test("syntax errors have a caret too", async () => {
    const { error } = await session.run("const a = 1\nlet b: = 2");
    expect(error?.name).toBe("SyntaxError");
    expect(plain(error?.traceback)).toMatch(/Cell \[\d+\]:2:8\n {2}1 \| const a = 1\n> 2 \| let b: = 2\n {4}\| {8}\^/);
  });

  test("syntax errors that only the engine sees have a caret too", async () => {
    const { error } = await session.run("interface Gone { x: 1 }\nconst ok = 1\nconst wrong = [ok, /(/]");
    expect(plain(error?.traceback)).toMatch(
      /^SyntaxError: Invalid regular expression: \/\(\/: Unterminated group\n\nCell \[\d+\]:3:20\n {2}2 \| const ok = 1\n> 3 \| const wrong = \[ok, \/\(\/\]\n {4}\| {20}\^$/,
    );
    expect((await session.run("typeof wrong")).result).toBe("'undefined'");
  });

  test("a magic that nobody knows", async () => {
    const { error } = await session.run("%tpyes strict");
    expect(error).toMatchObject({
      name: "MagicError",
      message: "There is no magic %tpyes. Did you mean %types? %lsmagic lists them.",
    });
  });

  test("anything can be thrown", async () => {
    expect((await session.run("throw { code: 7 }")).error).toMatchObject({ name: "Thrown", message: "{ code: 7 }" });
    expect((await session.run("throw null")).error).toMatchObject({ name: "Thrown", message: "null" });
    expect((await session.run("throw Object.assign(new Error(), { message: 5 })")).error).toMatchObject({
      name: "Error",
      message: "5",
    });
    expect((await session.run("throw Object.assign(new AggregateError([]), { errors: 5 })")).error?.name).toBe(
      "AggregateError",
    );
    const unreadable = [
      "new (class extends Error { get message() { throw 1 } })",
      "{ [Symbol.for('nodejs.util.inspect.custom')]() { throw 1 } }",
    ];
    for (const value of unreadable)
      expect((await session.run(`throw ${value}`)).error).toMatchObject({
        name: "Thrown",
        message: expect.stringContaining("What was thrown cannot be shown: reading it throws an error itself."),
      });
    const first = session.send(
      "setTimeout(() => { throw new (class extends Error { get message() { throw 1 } }) }, 1); 1",
    );
    await session.until(() =>
      session.printed(first, "stderr").includes("What was thrown cannot be shown: reading it throws an error itself."),
    );
    expect((await session.run("2")).result).toBe("2");
  });

  test.each([
    "x",
    "$",
    "$$0.",
    "file:",
    "file:?v=",
    "?v=0123456789abcdef",
    "(0, $$0.a",
    "a:1",
  ])("a long message of %j is soon told", async (part) => {
    const message = `${JSON.stringify(part)}.repeat(${Math.ceil(1e6 / part.length)})`;
    expect((await session.run(`throw new Error(${message})`)).error?.name).toBe("Error");
    expect(
      (
        await session.run(
          `try { throw new Error(${message}) } catch (error) { (error as Error).stack!.length > 1e6 - 1e5 }`,
        )
      ).status,
    ).toBe("ok");
    expect((await session.run(`console.log(new Error(${message}))`)).stdout).toContain(" at Cell [");
  }, 10_000);

  test("an error that is its own cause is told once", async () => {
    const { error } = await session.run(
      "const first = new Error('a'); const second = new Error('b', { cause: first }); first.cause = second; throw first",
    );
    expect(plain(error?.traceback).match(/Error: [ab]/g)).toEqual(["Error: a", "Error: b"]);
  });
});

describe("modules", () => {
  const write = (name: string, text: string, at: number): void => {
    writeFileSync(join(directory, name), text);
    utimesSync(join(directory, name), at, at);
  };

  test("packages of Node, and of the notebook's folder, as ESM and as CommonJS", async () => {
    mkdirSync(join(directory, "node_modules/esm"), { recursive: true });
    mkdirSync(join(directory, "node_modules/common"), { recursive: true });
    writeFileSync(
      join(directory, "node_modules/esm/package.json"),
      '{ "name": "esm", "type": "module", "exports": "./main.js" }',
    );
    writeFileSync(
      join(directory, "node_modules/esm/main.js"),
      "export default 'esm default'; export const named = 'esm named';",
    );
    writeFileSync(join(directory, "node_modules/common/package.json"), '{ "name": "common" }');
    writeFileSync(join(directory, "node_modules/common/index.js"), "exports.named = 'common named';");
    await session.run(
      "import { sep } from 'node:path'; import esm, { named } from 'esm'; import { named as other } from 'common'",
    );
    expect((await session.run("[sep, esm, named, other]")).result).toBe(
      "[ '/', 'esm default', 'esm named', 'common named' ]",
    );
    expect((await session.run("[(await import('esm')).named, require('common').named]")).result).toBe(
      "[ 'esm named', 'common named' ]",
    );
  });

  test.each([
    [
      "require",
      "later-required",
      '"main": "lib/main.js"',
      "exports.value = 1",
      "require('later-required')",
      "require('later-required').value",
    ],
    [
      "import",
      "later-imported",
      '"main": "lib/main.js"',
      "exports.value = 1",
      "await import('later-imported')",
      "(await import('later-imported')).value",
    ],
    [
      "import of a module",
      "later-module",
      '"type": "module", "exports": "./lib/main.js"',
      "export const value = 1",
      "await import('later-module')",
      "(await import('later-module')).value",
    ],
    [
      "require and import of a file in a scoped one",
      "@later/one",
      '"exports": { "./file": "./lib/main.js" }',
      "exports.value = 1",
      "try { require('@later/one/file') } catch {} await import('@later/one/file')",
      "[require('@later/one/file').value, (await import('@later/one/file')).value][0]",
    ],
    [
      "import by a file",
      "later-by-file",
      '"main": "lib/main.js"',
      "exports.value = 1",
      "await import('./by-file.ts')",
      "(await import('./by-file.ts')).value",
    ],
    [
      "require by a file",
      "later-by-old-file",
      '"main": "lib/main.js"',
      "exports.value = 1",
      "await import('./by-old-file.cjs')",
      "(await import('./by-old-file.cjs')).value",
    ],
  ])("a package that failed once is found when it has been installed: %s", async (_, name, fields, text, fails, value) => {
    mkdirSync(join(directory, "node_modules"), { recursive: true });
    write("by-file.ts", "export { value } from 'later-by-file'", 1000);
    write("by-old-file.cjs", "exports.value = require('later-by-old-file').value", 1000);
    const failed = await session.run(fails);
    expect(failed.error?.message).toContain(name);
    expect((await session.run(fails)).error?.message).toBe(failed.error?.message);
    mkdirSync(join(directory, "node_modules", name, "lib"), { recursive: true });
    writeFileSync(join(directory, "node_modules", name, "package.json"), `{ "name": "${name}", ${fields} }`);
    writeFileSync(join(directory, "node_modules", name, "lib/main.js"), text);
    expect((await session.run(value)).result).toBe("1");
  });

  test("TypeScript files, and edited files anew, also below the one imported", async () => {
    write("deep.ts", "export const depth: number = 1", 1000);
    write(
      "local.ts",
      "import { depth } from './deep'\nexport enum Kind { A }\nexport const text = `depth ${depth as any}`",
      1000,
    );
    const cell = "import { text, Kind } from './local.ts'; [text, Kind.A]";
    expect((await session.run(cell)).result).toBe("[ 'depth 1', 0 ]");
    write("deep.ts", "export const depth: number = 2", 2000);
    expect((await session.run(cell)).result).toBe("[ 'depth 2', 0 ]");
  });

  test("an edited CommonJS file anew", async () => {
    write("old.cjs", "exports.value = 1", 1000);
    expect((await session.run("import { value } from './old.cjs'; value")).result).toBe("1");
    write("old.cjs", "exports.value = 2", 2000);
    expect((await session.run("import { value } from './old.cjs'; value")).result).toBe("2");
  });

  test("a file that an edited CommonJS file needs, and an older file put back, anew", async () => {
    write("outer.cjs", "exports.value = require('./inner.cjs').value", 1000);
    write("inner.cjs", "exports.value = 1", 1000);
    write("newer.ts", "export { older } from './older.ts'", 3000);
    write("older.ts", "export const older = 1", 2000);
    const cell = "import { value } from './outer.cjs'; import { older } from './newer.ts'; [value, older]";
    expect((await session.run(cell)).result).toBe("[ 1, 1 ]");
    write("inner.cjs", "exports.value = 2", 2000);
    write("older.ts", "export const older = 2", 1000);
    expect((await session.run(cell)).result).toBe("[ 2, 2 ]");
  });

  test("errors in a local file have its own lines", async () => {
    write("fails.ts", "interface A {\n  b: 1\n}\nexport function fail() {\n  throw new Error('there')\n}", 1000);
    const { error } = await session.run("import { fail } from './fails.ts'\nfail()");
    expect(plain(error?.traceback)).toMatch(/at fail \(.*fails\.ts:5:9\)/);
  });

  test("a file that does not parse says where, and shows no frames of the loader", async () => {
    write("wrong.ts", "export const a = ;", 1000);
    const { error } = await session.run("import { a } from './wrong.ts'");
    expect(error?.message).toMatch(/^Unexpected token \(.*wrong\.ts:1:18\)$/);
    expect(plain(error?.traceback)).not.toMatch(/ at |dist\//);
  });

  test.each([
    ["import './wrong1.mjs'", "wrong1.mjs", "const a = 1;\nexport const b = ;", "2:18"],
    ["await import('./wrong2.mjs')", "wrong2.mjs", "const a = 1;\nexport {  a, a };", "2:14"],
    ["import './needs-wrong.mjs'", "wrong3.mjs", "const a = 1;\nlet b = 1, a = 2;", "2:12"],
    ["import './wrong4.cjs'", "wrong4.cjs", "const a = 1;\nconst bcdefgh = ;", "2:17"],
    ["require('./wrong5.cjs')", "wrong5.cjs", "const a = 1;\nconst bcdefgh = ;", "2:17"],
  ])("a JavaScript file that does not parse says where, again too: %s", async (code, name, text, place) => {
    write("needs-wrong.mjs", "import './wrong3.mjs'", 1000);
    write(name, text, 1000);
    for (const { error } of [await session.run(code), await session.run(code)])
      expect(error?.message).toMatch(new RegExp(`^[^()]+ \\(${join(directory, name)}:${place}\\)$`));
  });

  test("messages name a file, not the version of it that was loaded", async () => {
    write("data.json", "{}", 1000);
    const { error } = await session.run("import data from './data.json'");
    expect(error?.message).toMatch(/^Module "file:.*\/data\.json" needs an import attribute/);
    expect((await session.run("throw new Error('http://x/y?v=0123456789abcdef')")).error?.message).toBe(
      "http://x/y?v=0123456789abcdef",
    );
  });

  test("a file that fails to load fails at the import of the cell that runs, again and again", async () => {
    write("throws.mjs", "throw new Error('at load')", 1000);
    for (const [code, place] of [
      ["// static\nimport './throws.mjs'", "2:1"],
      ["await import('./throws.mjs')", "1:7"],
      ["import './throws.mjs'", "1:1"],
    ] as const) {
      const request = session.send(code);
      const { error } = await session.ended(request);
      expect(plain(error?.traceback)).toContain(`\n\nCell [${request}]:${place}\n`);
      expect(plain(error?.traceback)).toMatch(/\^\n {4}at file:.*throws\.mjs:1:7(\n {4}at async Cell \[\d+\]:1:7)?$/);
    }
  });

  test("a CommonJS module has the names of what it exports, also those that Node does not see in its text", async () => {
    write(
      "computed.cjs",
      "const names = { x: 5 }; module.exports = Object.assign(names, { ['f' + 1]() { return 6; } });",
      1000,
    );
    expect(
      (
        await session.run(
          "import { x, f1 } from './computed.cjs'; import * as all from './computed.cjs'; [x, f1(), all.x, all.default.x, (await import('./computed.cjs')).x]",
        )
      ).result,
    ).toBe("[ 5, 6, 5, 5, 5 ]");
  });

  test("a name that the library lacks says what to write", async () => {
    const { error } = await session.run('import { Linear, zeros } from "warpcell"; new Linear(2, 3)');
    expect(error?.message).toBe(
      "The requested module 'warpcell' does not provide an export named 'Linear': write nn.Linear.",
    );
  });

  test("a cell that uses a name which its module does not export fails at the name", async () => {
    write("some.ts", "export const here = 1", 1000);
    const { error } = await session.run("import { here, gone } from './some.ts'\ngone");
    expect(error).toMatchObject({
      name: "SyntaxError",
      message: "The requested module './some.ts' does not provide an export named 'gone'",
    });
    expect(plain(error?.traceback)).toMatch(
      /:1:16\n> 1 \| import \{ here, gone \} from '\.\/some\.ts'\n {4}\| {16}\^$/,
    );
  });

  test("a missing module fails at the line of its import, and shows nothing of the loader", async () => {
    write("loads-hooks.ts", "export {}", 1000);
    const { error } = await session.run("// first\nimport './loads-hooks.ts'; import nothing from 'no-such-package'");
    expect(error?.message).toContain("The package no-such-package is not installed.");
    expect(plain(error?.traceback)).toMatch(/:2:28\n {2}1 \| \/\/ first\n> 2 \| import [^\n]*\n {4}\| +\^$/);
    const dynamic = await session.run("const load = () => import('./no-such-file.ts')\nawait load()");
    expect(plain(dynamic.error?.traceback)).toMatch(
      /Cannot find module .*no-such-file\.ts[^\n]*\n\nCell \[\d+\]:1:20\n> 1 \| const load[^\n]*\n {4}\| +\^$/,
    );
  });

  test("the notebook's folder has a name", async () => {
    expect(
      (
        await session.run(
          "[__dirname === import.meta.dirname, __filename === import.meta.filename, require('node:path').dirname(__filename) === __dirname]",
        )
      ).result,
    ).toBe("[ true, true, true ]");
  });

  test("a type imported without `type` does no harm, and is no value", async () => {
    write("types.ts", "export interface Only { x: 1 }\nexport const value = 3", 1000);
    expect((await session.run("import { Only, value } from './types.ts'; value")).result).toBe("3");
    expect((await session.run("Only")).error?.message).toBe("Only is not defined");
  });

  test("a local file may import a type without `type`, as TypeScript lets it", async () => {
    write("types2.ts", "export interface Point { x: number }\nexport const origin: Point = { x: 0 }", 1000);
    write(
      "uses.ts",
      "import { Point, origin } from './types2.ts'\nexport const moved = (p: Point): Point => ({ x: p.x + 1 })\nexport { origin }",
      1000,
    );
    expect((await session.run("import { moved, origin } from './uses.ts'; moved(origin)")).result).toBe("{ x: 1 }");
  });
});

describe("displays", () => {
  test.each([
    ["html`<b>${1 + 1}</b>`", "text/html", "<b>2</b>"],
    ["md`# ${'x'}`", "text/markdown", "# x"],
    ["html`<b>${'<i title=\"x\">&'}</b>`", "text/html", "<b>&#60;i title=&#34;x&#34;&#62;&#38;</b>"],
    [
      "html`<ul>${['a', '<b>'].map((x) => html`<li>${x}</li>`)}</ul>${null}`",
      "text/html",
      "<ul><li>a</li><li>&#60;b&#62;</li></ul>",
    ],
    ["html`${html.raw('<hr>')}${svg`<path/>`}`", "text/html", "<hr><path/>"],
    ["svg`<svg/>`", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    [
      "svg`<!-- a --><svg xmlns='http://www.w3.org/2000/svg'/>`",
      "image/svg+xml",
      "<!-- a --><svg xmlns='http://www.w3.org/2000/svg'/>",
    ],
    [
      "svg`<circle r=\"5\"/>${svg`<text>${'<'}</text>`}`",
      "image/svg+xml",
      '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="320" viewBox="0 0 640 320"><circle r="5"/><text>&#60;</text></svg>',
    ],
    ["({ [Symbol.for('Jupyter.display')]: async () => ({ 'application/x': 1 }) })", "application/x", 1],
    ["Uint8Array.of(0x89, 0x50, 0x4e, 0x47)", "image/png", "iVBORw=="],
    ["({ toDataURL: () => 'data:image/png;base64,AAAA' })", "image/png", "AAAA"],
    ["({ toSpec: () => ({ mark: 'bar' }) })", "application/vnd.vegalite.v5+json", { mark: "bar" }],
    ["({ outerHTML: '<i>x</i>' })", "text/html", "<i>x</i>"],
  ])("%s", async (code, type, content) => {
    const { events } = await session.run(code);
    const result = events.find((event) => event.type === "result");
    if (result?.type !== "result") throw new Error("Expected a result.");
    expect(result.data[type]).toEqual(content);
    expect(result.data["text/plain"]).toBeTypeOf("string");
  });

  test("update, clear, buffers and metadata", async () => {
    const { events } = await session.run(
      "const shown = await display(1); await shown.update(2); display.clear(true); await display({ 'text/plain': 'x' }, { raw: true, display_id: 'id', metadata: { m: 1 }, buffers: [Uint8Array.of(1, 2)] })",
    );
    const [first, second, clear, third] = events;
    if (first?.type !== "display" || second?.type !== "display" || third?.type !== "display")
      throw new Error("Expected displays.");
    expect([first.update, second.update, second.displayId === first.displayId, second.data["text/plain"]]).toEqual([
      false,
      true,
      true,
      "2",
    ]);
    expect(clear).toMatchObject({ type: "clearOutput", wait: true });
    expect(third).toMatchObject({ displayId: "id", metadata: { m: 1 }, data: { "text/plain": "x" } });
    expect([...(third.buffers[0] as Uint8Array)]).toEqual([1, 2]);
  });

  test("a specification of Vega-Lite is drawn by who can, and a line of text elsewhere", async () => {
    const spec = (version: string) =>
      `({ $schema: "https://vega.github.io/schema/${version}.json", title: "Pets", mark: { type: "bar" }, data: { values: [{ a: "cat", b: 2 }] }, encoding: { x: { field: "a" }, y: { aggregate: "sum", field: "b" }, color: { value: "red" } } })`;
    const bundle = async (code: string) => {
      const { events } = await session.run(code);
      const result = events.find((event) => event.type === "result");
      return result?.type === "result" ? result.data : {};
    };
    const text = "[Vega-Lite chart, Pets, bar, x: a, y: b, 1 row]";
    for (const code of [
      spec("vega-lite/v5"),
      spec("vega-lite/v6.1.0"),
      `({ toSpec: () => (${spec("vega-lite/v5")}) })`,
    ]) {
      const data = await bundle(code);
      expect(Object.keys(data).toSorted()).toEqual(["application/vnd.vegalite.v5+json", "text/plain"]);
      expect(data["text/plain"]).toBe(text);
    }
    expect((await bundle('({ $schema: "https://vega.github.io/schema/vega/v5.json" })'))["text/plain"]).toBe(
      "[Vega chart]",
    );
    expect(Object.keys(await bundle('({ $schema: "https://json-schema.org/draft/2020-12/schema" })'))).toEqual([
      "text/plain",
    ]);
  });

  test("an object or an array of what has a small picture is a table beside its text", async () => {
    const small = `const small = (name: string) => ({ [Symbol.for("Jupyter.display.small")]: () => ({ "image/png": "AAAA", "text/plain": name }) });`;
    const bundle = async (code: string) => {
      const { events } = await session.run(code);
      const result = events.find((event) => event.type === "result");
      return result?.type === "result" ? result.data : {};
    };
    await session.run(small);
    expect(
      (await bundle('({ "<w>": small("a < b"), n: 3, get g(): number { throw new Error("called"); } })'))["text/html"],
    ).toBe(
      '<table><tbody><tr><th style="text-align: left">&lt;w&gt;</th><td style="text-align: left"><img alt="" src="data:image/png;base64,AAAA"></td><td style="text-align: left"><code>a &lt; b</code></td></tr><tr><th style="text-align: left">n</th><td style="text-align: left"></td><td style="text-align: left"><code>3</code></td></tr><tr><th style="text-align: left">g</th><td style="text-align: left"></td><td style="text-align: left"><code>undefined</code></td></tr></tbody></table>',
    );
    const many = String((await bundle('Array.from({ length: 30 }, () => small("x"))'))["text/html"]);
    expect(many.match(/<tr>/g)).toHaveLength(25);
    expect(many).toContain("and 6 more");
    for (const code of ["({ a: 1 })", "[1, 2]", "new (class A { b = small('x') })()"])
      expect(Object.keys(await bundle(code))).toEqual(["text/plain"]);
  });

  test.each([
    "document.body",
    "window.location",
    "(undefined as any).documentElement",
    "const none: any = undefined; none.createElement('p')",
  ])("%s says what to write where there is no page", async (code) => {
    expect((await session.run(code)).error?.message).toMatch(
      /: this code looks for the document of a web page, and a kernel has none\. Give it one, Plot\.plot\(\{ document, … \}\)/,
    );
  });

  test("a value that describes itself wrongly fails its cell", async () => {
    expect((await session.run("({ [Symbol.for('Jupyter.display')]: () => 5 })")).error?.message).toBe(
      'The method Symbol.for("Jupyter.display") must return an object with MIME types as keys, but returned 5.',
    );
    expect((await session.run("({ toDataURL: () => 'nothing' })")).error?.message).toBe(
      "toDataURL() must return a data: URL, but returned 'nothing'.",
    );
  });
});

describe("what JSON does not have", () => {
  test.each([
    [
      "display({ 'application/json': { rows: [1n] } }, { raw: true })",
      'JSON cannot hold what is displayed: there is a bigint, which JSON does not have (Number or String makes it something JSON has) at "application/json" → "rows" → "0".',
    ],
    [
      "display(1, { metadata: { m: 1n } })",
      'JSON cannot hold the metadata of a display: there is a bigint, which JSON does not have (Number or String makes it something JSON has) at "m".',
    ],
    [
      "(() => { const spec = { all: [] }; spec.all.push(spec); return { toSpec: () => spec } })()",
      'JSON cannot hold what is displayed: there is an object that contains itself at "application/vnd.vegalite.v5+json" → "all" → "0".',
    ],
    [
      "new Comm('anybody', { data: 1n })",
      "JSON cannot hold what a comm says: there is a bigint, which JSON does not have (Number or String makes it something JSON has) at its top.",
    ],
  ])("%s fails its cell", async (code, message) => {
    expect((await session.run(`await ${code}`)).error).toMatchObject({ name: "TypeError", message });
  });

  test.each([
    "display(1)",
    "await display(1)",
    "display.update('id', 1)",
    "const handle = await display(1); handle.update(2)",
    "const pending = display(1); pending",
  ])("%s at the end of a cell shows nothing more", async (code) => {
    const { events, status } = await session.run(code);
    expect(status).toBe("ok");
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["display", "done"]));
  });

  test.each([
    [
      "html('<b>')",
      "html stands before a text in backticks: write html`…`, or html.raw(text) for a text that is markup.",
    ],
    [
      "svg('<svg/>')",
      "svg stands before a text in backticks: write svg`…`, or svg.raw(text) for a text that is markup.",
    ],
  ])("%s says what to write", async (code, message) => {
    expect((await session.run(code)).error).toMatchObject({ name: "TypeError", message });
  });

  test("a promise whose value is not there says so, any other one what it holds", async () => {
    const shown = async (code: string) => (await session.run(code)).result;
    expect(await shown("const never = new Promise(() => {}); never")).toBe(
      "Promise { <pending> }: await before it waits for its value",
    );
    expect(await shown("Promise.resolve(5)")).toBe("Promise { 5 }");
  });

  test("one object in two places is JSON", async () => {
    expect(
      (
        await session.run(
          "const shared = { x: 1 }; await display({ 'application/json': [shared, shared] }, { raw: true })",
        )
      ).status,
    ).toBe("ok");
  });
});

describe("comms", () => {
  const carried = { metadata: {}, buffers: [] };

  test("a front end opens one, and both talk, with buffers", async () => {
    await session.run(
      "Comm.register('echo', (comm, { data }) => { comm.send({ opened: data }); comm.onMessage = ({ data, buffers }) => comm.send(data, { buffers }); comm.onClose = () => console.log('closed') })",
    );
    const told = session.events.findLast((event) => event.type === "commTargets");
    expect(told?.type === "commTargets" && told.targets).toContain("echo");
    session.command({ type: "commOpen", request: 9001, comm: "c1", target: "echo", data: 5, ...carried });
    session.command({
      type: "commMessage",
      request: 9002,
      comm: "c1",
      data: 6,
      metadata: {},
      buffers: [Uint8Array.of(7)],
    });
    session.command({ type: "commClose", request: 9003, comm: "c1", data: {} });
    await session.ended(9003);
    expect(session.of(9001)).toMatchObject([
      { type: "commMessage", comm: "c1", data: { opened: 5 } },
      { type: "done", status: "ok", token: "" },
    ]);
    expect(session.of(9002)).toMatchObject([{ type: "commMessage", data: 6 }, { type: "done" }]);
    expect(session.printed(9003, "stdout")).toBe("closed\n");
  });

  test("an unknown target is closed at once, and a handler that throws is an error", async () => {
    session.command({ type: "commOpen", request: 9004, comm: "c2", target: "nobody", data: {}, ...carried });
    await session.ended(9004);
    expect(session.of(9004)[0]).toMatchObject({ type: "commClose", comm: "c2" });
    await session.run("Comm.register('fails', () => { throw new Error('no') })");
    session.command({ type: "commOpen", request: 9005, comm: "c3", target: "fails", data: {}, ...carried });
    expect((await session.ended(9005)).error?.message).toBe("no");
  });

  test("a cell opens one, and a closed one says so", async () => {
    const { events } = await session.run("const own = new Comm('there', { data: 1 }); own.close()");
    expect(events).toMatchObject([
      { type: "commOpen", target: "there", data: 1 },
      { type: "commClose" },
      { type: "done" },
    ]);
    expect((await session.run("own.send(1)")).error?.message).toBe(
      'This comm on there has been closed. Open another one with new Comm("there").',
    );
  });
});

describe("what JavaScript itself has", () => {
  test.each([
    ["JSON = null", "JSON"],
    ["Buffer = null", "Buffer"],
    ["Array.prototype.push = null", "Array.prototype.push"],
    ["delete Array.prototype[Symbol.iterator]", "Array.prototype[Symbol.iterator]"],
    ["Promise.prototype.then = undefined; await null", "Promise.prototype.then"],
    ["Object = Map = Set = Promise = undefined; throw new Error('after all')", "Object, Map, Set, Promise"],
    ["String.prototype.replace = 5", "String.prototype.replace"],
    ["Function.prototype.call = null", "Function.prototype.call"],
  ])("%s is put back, and later cells run", async (code, names) => {
    const own = await TestSession.start({ directory });
    await own.run("const kept = 41");
    const request = own.send(code);
    const { stderr } = await own.ended(request);
    // What Node and the session did meanwhile may have failed with it, and says so.
    expect(stderr).toContain(
      `Cell [${request}] removed or replaced ${names}, which the kernel itself needs. It has been restored; all variables are kept.\n`,
    );
    expect(
      (
        await own.run(
          "import { sep } from 'node:path'; await display(html`<b>x</b>`); console.log(JSON.stringify([sep])); [kept].map((x) => x + 1)",
        )
      ).result,
    ).toBe("[ 42 ]");
    await own.end();
  });

  test("replaced by what fails may end the session, with a sentence", async () => {
    const own = await TestSession.start({ directory });
    own.send("Map.prototype.get = () => { throw new Error('no get') }");
    await own.until(() =>
      own.native.stderr.includes(
        "The kernel's own code failed (Error: no get): a cell may have replaced what JavaScript itself has, such as Array.prototype.push.\n",
      ),
    );
  });

  test("is put back too when a timer took it away", async () => {
    const first = session.send("setTimeout(() => { (globalThis as any).JSON = null; console.log('gone') }, 1); 1");
    await session.until(() => session.printed(first, "stdout") === "gone\n");
    expect((await session.run("1")).stderr).toBe(
      "Code that ran before this cell removed or replaced JSON, which the kernel itself needs. It has been restored; all variables are kept.\n",
    );
    expect((await session.run("JSON.stringify(1)")).result).toBe("'1'");
  });

  test("may be replaced by something of its kind", async () => {
    expect(
      await session.run(
        "const original = Array.prototype.at; Array.prototype.at = function (i) { return original.call(this, i) }; 1",
      ),
    ).toMatchObject({ status: "ok", stderr: "" });
    expect((await session.run("Array.prototype.at === original")).result).toBe("false");
    await session.run("Array.prototype.at = original");
  });
});

describe("requests", () => {
  test("user expressions are evaluated when the cell is ok, each with its own error", async () => {
    const { userExpressions } = await session.run("const u = 2", { userExpressions: { good: "u * 3", bad: "nope" } });
    expect(userExpressions["good"]).toEqual({ status: "ok", data: { "text/plain": "6" }, metadata: {} });
    expect(userExpressions["bad"]).toMatchObject({
      status: "error",
      ename: "ReferenceError",
      evalue: "nope is not defined",
    });
    expect((await session.run("throw 1", { userExpressions: { good: "1" } })).userExpressions).toEqual({});
  });

  test("help shows the value as a page", async () => {
    await session.run("const helped = { a: 1 }");
    expect((await session.run("helped?")).payload).toEqual([
      { source: "page", start: 0, data: { "text/plain": "{ a: 1 }" } },
    ]);
  });

  test("using at the top level is disposed of at the end of its cell, after the value is shown", async () => {
    const { events } = await session.run("using it = { [Symbol.dispose]() { console.log('disposed') } }; 'value'");
    expect(events.map(({ type }) => type)).toEqual(["result", "stream", "done"]);
    const half = await session.run(
      "using first = { [Symbol.dispose]() { console.log('first') } }, second = (() => { throw new Error('second') })()",
    );
    expect([half.stdout, half.error?.message]).toEqual(["first\n", "second"]);
    expect((await session.run("using no = {}")).error?.message).toBe(
      "What follows using must have a [Symbol.dispose] method, but this object has none.",
    );
    const { stdout } = await session.run(
      "function f() { using a = { [Symbol.dispose]() { console.log('a') } }; using b = { [Symbol.dispose]() { console.log('b') } }; console.log('body') }\nf()",
    );
    expect(stdout).toBe("body\nb\na\n");
  });

  test.each([
    "$",
    "function f() { $ }\nf()",
    "await (async () => { $ })()",
  ])("what is thrown is not lost behind what fails to be disposed of: %s", async (around) => {
    const body = "using a = { [Symbol.dispose]() { throw new TypeError('disposal') } }; throw new RangeError('body')";
    const { error } = await session.run(around.replace("$", body));
    expect(error).toMatchObject({ name: "SuppressedError", message: "An error was suppressed during disposal." });
    expect(plain(error?.traceback)).toMatch(/TypeError: disposal\n[^]*RangeError: body\n/);
  });
});
