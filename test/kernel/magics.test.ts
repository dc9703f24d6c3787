// Magics as a reader meets them, over real sockets: pages, times, the types mode, and packages from a registry on this
// machine.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openKernel, runs, shown, streamText, until } from "../helpers/kernel.ts";
import { openRegistry, type PackageFiles } from "../helpers/registry.ts";

describe("pages", () => {
  test("%help, %lsmagic and %%cuda --help are shown, and the code of the cell runs", async () => {
    const { client } = await openKernel();
    const page = async (code: string): Promise<string> => streamText((await client.execute(code)).outputs, "stdout");
    expect(await page("%help")).toMatch(/^A cell is TypeScript with top-level await\.[^]*%%cuda[^]*%npm install NAME…/);
    const magics = await page("%lsmagic");
    for (const name of ["%%cuda", "%help", "%lsmagic", "%npm", "%time", "%types"]) expect(magics).toContain(name);
    expect(await page("%%cuda --help\n__global__ void f(")).toMatch(/^%%cuda \[options\][^]*--fast-math/);
    expect(shown(await client.execute("%lsmagic\n1 + 1"))).toContainEqual(["execute_result", "2"]);
  });

  test("%help NAME prints what a name is below the cell, NAME? on a page, each with its example", async () => {
    const { client } = await openKernel();
    const printed = async (code: string): Promise<string> => streamText((await client.execute(code)).outputs, "stdout");
    const softmax = await printed("%help softmax");
    expect(softmax).toMatch(
      /^function softmax<D extends DType, E extends DType = FloatOf<D>>\(x: Tensor<D>, axis\?: [^\n]*\): Tensor<E>\n/,
    );
    expect(softmax).toMatch(
      /e\^x \/ Σe\^x[^]*Example:\nsoftmax\(tensor\(\[\[1, 2, 3\], \[1, 1, 1\]\]\)\);\n\/\/ → tensor\(/,
    );
    expect(await printed("%help nn.Linear Tensor.cumsum backward")).toMatch(
      /class Linear[^]*Example:[^]*cumsum[^]*running sum[^]*Example:[^]*backward[^]*Example:/,
    );
    const room = await printed("%help optim");
    expect(room).toMatch(
      /^optim has .*\bAdamW\b.*\bclipGradNorm\b.*\.\n\n%help optim\.\w+ says what one of them is\.\n/,
    );
    await client.execute('import * as wc from "warpcell"; const { optim: mine } = wc; class Own {} ');
    expect(await printed("%help mine")).toBe(room.replaceAll("optim", "mine"));
    await client.execute("/** My own. */ const softmax = 1");
    expect(await printed("%help softmax")).toBe("const softmax: 1\n\nMy own.\n\n");
    expect(await printed("%help DataLoader.length nn.Linear.forward over")).toMatch(
      /^\(accessor\) DataLoader<any, any, any>\.length: number[^]*\(method\) Linear\.forward\([^]*\(method\) Kernel<any>\.over\([^]*one thread per item/,
    );
    expect(await printed("%help no_such_name")).toBe("Nothing is known about no_such_name.\n\n");
    const { outputs } = await client.execute("%help 1+1");
    expect(JSON.stringify(outputs)).toContain("%help takes names, such as softmax or nn.Linear, but got 1+1.");

    const page = (await client.execute("exp?")).reply["payload"] as { data: Record<string, string> }[];
    expect(page[0]?.data["text/plain"]).toMatch(/e\^x\.\n[^]*Example:\nexp\(tensor\(\[0, 1\]\)\); \/\/ → tensor\(/);
    expect(page[0]?.data["text/markdown"]).toContain("Example:\n```typescript\nexp(");
  });

  test("%types alone tells how type errors are treated", async () => {
    const { client } = await openKernel();
    const mode = async (code: string): Promise<string> => streamText((await client.execute(code)).outputs, "stdout");
    expect(await mode("%types")).toBe("%types warn: type errors are shown, and the cell runs.\n");
    expect(await mode("%types strict")).toBe("");
    expect(await mode("%types")).toBe("%types strict: a cell with a type error does not run.\n");
    expect(await mode("%types off\n%types")).toBe("%types off: type errors are not looked for.\n");
  });

  test("%time and %%time say how long the cell took, with its value as ever", async () => {
    const { client } = await openKernel();
    for (const code of [
      "%time await new Promise((resolve) => setTimeout(resolve, 20, 5))",
      "%%time\nawait new Promise((resolve) => setTimeout(resolve, 20, 5))",
      "%time\nawait new Promise((resolve) => setTimeout(resolve, 20, 5))",
    ]) {
      const { outputs } = await client.execute(code);
      const [, milliseconds] = /^Wall time: ([\d.]+) ms\n$/.exec(streamText(outputs, "stdout")) ?? [];
      expect(Number(milliseconds), code).toBeGreaterThan(19);
      expect(shown({ outputs })).toContainEqual(["execute_result", "5"]);
    }
    const { outputs } = await client.execute("%time null.x");
    expect(streamText(outputs, "stdout")).toBe("");
  });

  test("%time waits for the kernels that the cell launched", async () => {
    const { client } = await openKernel({ env: { WARPCELL_DEVICE: "cpu" } });
    await client.execute(
      "%%cuda\n__global__ void spin(float* p, long long n) { float x = p[0]; for (long long i = 0; i < n; i++) x = x * 0.5f + 1.0f; p[0] = x; }",
    );
    const time = async (n: number): Promise<number> => {
      const { outputs } = await client.execute(
        `%time spin.launch({ grid: 1, block: 1 }, (await import("warpcell")).zeros([1]), ${n})`,
      );
      const [, value, unit] = /^Wall time: ([\d.]+) (ms|s)\n$/.exec(streamText(outputs, "stdout")) ?? [];
      return Number(value) * (unit === "s" ? 1000 : 1);
    };
    await time(1);
    expect(await time(500_000_000)).toBeGreaterThan(10 * (await time(1)));
  });
});

describe("packages", () => {
  const typed = (version: string): PackageFiles => ({
    "package.json": {
      name: "typed-one",
      version,
      type: "module",
      exports: { ".": { types: "./main.d.ts", default: "./main.js" } },
    },
    "main.js": `export const version = "${version}"; export default (text) => text + "!";`,
    "main.d.ts": "export declare const version: string; export default function (text: string): string;",
  });
  const untyped: PackageFiles = {
    "package.json": { name: "plain-one", version: "2.1.0" },
    "index.js": "exports.twice = (x) => 2 * x;",
  };
  const itsTypes: PackageFiles = {
    "package.json": { name: "@types/plain-one", version: "2.0.0", types: "index.d.ts" },
    "index.d.ts": "export declare function twice(x: number): number;",
  };
  const anyOne: PackageFiles = {
    "package.json": { name: "any-one", version: "1.0.0" },
    "index.js": "exports.any = 1;",
  };

  /** A notebook's folder, below one with a package.json when `inProject`. */
  async function open(inProject: boolean) {
    const project = realpathSync(mkdtempSync(join(tmpdir(), "warpcell-npm-")));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    const notebook = join(project, "notebooks");
    mkdirSync(notebook);
    if (inProject) writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true }');
    const registry = await openRegistry([typed("1.2.0"), typed("2.0.0"), untyped, itsTypes, anyOne]);
    const { client } = await openKernel({
      cwd: notebook,
      env: { npm_config_registry: registry, npm_config_cache: join(project, "cache"), npm_config_fetch_retries: "0" },
    });
    return { client, project, notebook };
  }

  test("an import of what is not installed says how to install it and where; %npm install does, and the checker finds its types", async () => {
    const { client, project, notebook } = await open(true);
    mkdirSync(join(project, "node_modules")); // with which Node looks closer, and remembers more
    expect((await client.execute('import shout from "typed-one"')).reply["evalue"]).toBe(
      `The package typed-one is not installed. Run "%npm install typed-one" in a cell: it goes to ${notebook}/node_modules.`,
    );

    const { reply, outputs } = await client.execute(
      '%npm install typed-one\nimport shout, { version } from "typed-one"; shout(version)',
    );
    expect(reply["status"]).toBe("ok");
    expect(JSON.stringify(shown({ outputs }))).not.toContain("Cell [2]");
    expect(streamText(outputs, "stdout")).toMatch(
      new RegExp(`^npm install typed-one   \\(in ${notebook}\\)\n[^]*added 1 package`),
    );
    expect(shown({ outputs })).toContainEqual(["execute_result", "'2.0.0!'"]);
    expect(JSON.parse(readFileSync(join(notebook, "package.json"), "utf8"))).toEqual({
      dependencies: { "typed-one": "^2.0.0" },
    });
    // The project above is somebody else's.
    expect(readFileSync(join(project, "package.json"), "utf8")).toBe('{ "name": "project", "private": true }');
    expect(existsSync(join(project, "package-lock.json"))).toBe(false);

    const strict = await client.execute("%types strict\nshout(5)");
    expect(strict.reply["ename"]).toBe("TypesError");
    expect(JSON.stringify(strict.reply["traceback"])).toContain(
      "Argument of type 'number' is not assignable to parameter of type 'string'.",
    );
  });

  test("types that are a package of their own come along; a package without any is told", async () => {
    const { client, notebook } = await open(false);
    const { outputs } = await client.execute("%npm install plain-one any-one");
    expect(streamText(outputs, "stdout")).toMatch(
      /The types of plain-one come from @types\/plain-one\.\nany-one has no types: what it exports is any\.\n$/,
    );
    expect(existsSync(join(notebook, "node_modules/@types/plain-one/index.d.ts"))).toBe(true);
    expect(
      (
        await client.execute(
          '%types strict\nimport { twice } from "plain-one"; import { any } from "any-one"; twice(any) as number',
        )
      ).reply["status"],
    ).toBe("ok");
    expect((await client.execute("twice('a')")).reply["ename"]).toBe("TypesError");
  });

  test("npm: specifiers install what they name, once, and have its types", async () => {
    const { client, notebook } = await open(false);
    const first = await client.execute('%types strict\nimport { version } from "npm:typed-one@1"; version');
    expect(shown(first)).toContainEqual(["execute_result", "'1.2.0'"]);
    expect(existsSync(join(notebook, "node_modules/typed-one/main.js"))).toBe(true);
    const again = await client.execute('const { default: shout } = await import("npm:typed-one"); shout("a")');
    expect([shown(again).at(-1), streamText(again.outputs, "stdout"), streamText(again.outputs, "stderr")]).toEqual([
      ["execute_result", "'a!'"],
      "",
      "",
    ]);
    expect((await client.execute("shout(1)")).reply["ename"]).toBe("TypesError");

    const newer = await client.execute('import { version as other } from "npm:typed-one@2"');
    expect(streamText(newer.outputs, "stderr")).toBe(
      "typed-one is now 2.0.0. If 1.2.0 was imported before, restart the kernel to use it.\n",
    );
  });

  test("the folder of a package below the root of workspaces is written to, the root is not", async () => {
    const { client, project, notebook } = await open(true);
    const root = JSON.stringify({ name: "root", private: true, workspaces: ["notebooks"] });
    writeFileSync(join(project, "package.json"), root);
    writeFileSync(join(notebook, "package.json"), '{ "name": "mine" }');
    expect((await client.execute('import { version } from "npm:typed-one"')).reply["status"]).toBe("ok");
    expect(JSON.parse(readFileSync(join(notebook, "package.json"), "utf8"))).toEqual({
      name: "mine",
      dependencies: { "typed-one": "^2.0.0" },
    });
    expect(readFileSync(join(project, "package.json"), "utf8")).toBe(root);
    expect(existsSync(join(project, "package-lock.json"))).toBe(false);

    writeFileSync(join(notebook, "package.json"), root);
    const refused =
      /^npm install any-one would change .*notebooks, the root of a workspace: move the notebook to a folder of its own, or run npm there in a terminal\.$/;
    expect((await client.execute('import { any } from "npm:any-one"')).reply["evalue"]).toMatch(refused);
    expect((await client.execute("%npm install any-one")).reply["evalue"]).toMatch(refused);
    expect(readFileSync(join(notebook, "package.json"), "utf8")).toBe(root);
    expect((await client.execute("%npm root")).reply["status"]).toBe("ok");
    writeFileSync(join(notebook, "package.json"), "{");
    expect((await client.execute("%npm install any-one")).reply["evalue"]).toMatch(/package\.json cannot be read: /);
    rmSync(join(notebook, "package.json"));
    writeFileSync(join(notebook, "pnpm-workspace.yaml"), "packages: []");
    expect((await client.execute("%npm install any-one")).reply["evalue"]).toMatch(refused);
  });

  test("an interrupt ends npm and what it runs", async () => {
    const { client, notebook } = await open(true);
    const wait = `node -e "require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)"`;
    writeFileSync(join(notebook, "package.json"), JSON.stringify({ name: "project", scripts: { wait } }));
    const ran = client.execute("%npm run wait");
    await until(() => existsSync(join(notebook, "pid")) && readFileSync(join(notebook, "pid"), "utf8") !== "");
    await client.request("control", "interrupt_request", {});
    expect((await ran).reply["ename"]).toBe("Interrupted");
    const child = Number(readFileSync(join(notebook, "pid"), "utf8"));
    await until(async () => !(await runs(child)));
    expect(shown(await client.execute("1 + 1"))).toContainEqual(["execute_result", "2"]);
    expect(existsSync(notebook)).toBe(true);
  });

  test("what npm cannot do is one sentence", async () => {
    const { client } = await open(false);
    const problem = async (code: string): Promise<unknown> => (await client.execute(code)).reply["evalue"];
    expect(await problem("%npm install nowhere-at-all")).toBe(
      "npm install nowhere-at-all failed: the registry has no such package.",
    );
    expect(await problem("%npm install typed-one@9")).toBe(
      "npm install typed-one@9 failed: the package has no such version.",
    );
    expect(await problem('import x from "npm:@wrong"')).toBe(
      "npm:@wrong names no package; write it like npm:lodash or npm:lodash@4.",
    );
    expect(await problem("%npm")).toBe("%npm needs to know what to do, for example: %npm install lodash");
    expect(await problem("%npm wrong-command")).toMatch(/^npm wrong-command failed: /);
  });
});
