// Outputs that nobody's kernel sends, drawn by every renderer of ours, trusted and untrusted: nothing of them runs, no
// command is called, nothing is asked of any server, and no error is written. A sample; `npm run test:long` draws all.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { hostilePayloads, markups, randomOf } from "./hostile-payloads";
import { expect, test } from "./jupyterlab";
import { notebookOf, open, scripted, shot, typescript } from "./notebook";
import { run } from "./side-panel";
import { isLong } from "./themes";

const seed = Number(process.env["WARPCELL_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const all = 700;
const sample = 80;

/** What a page says and asks for from here on that it should not. */
function watch(page: IJupyterLabPageFixture): string[] {
  const noticed: string[] = [];
  const own = new URL(page.url()).origin;
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (/^(data|blob):$/.test(protocol)) return;
    if (origin !== own || /hostile\.(png|invalid)/.test(request.url())) noticed.push(`asked for ${request.url()}`);
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) noticed.push(`${message.type()}: ${message.text()}`);
  });
  // JupyterLab throws a few of its own.
  page.on("pageerror", ({ message, stack = "" }) => {
    if (stack.includes("@warpcell/jupyterlab")) noticed.push(`thrown: ${message}`);
  });
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => noticed.push("a dialog")));
  return noticed;
}

interface Window_ {
  jupyterapp: {
    commands: { execute(command: string, options?: object): Promise<unknown> };
    shell: { currentWidget: { content: { rendermime: Rendermime } } };
  };
  hostile?: unknown;
  called: string[];
}
interface Rendermime {
  createModel(options: object): object;
  preferredMimeType(data: object, safe: string): string | undefined;
  createRenderer(mime: string): { node: HTMLElement; renderModel(model: object): Promise<void>; dispose(): void };
}

/** From here on the page notes which commands are called. */
const noteCommands = (page: IJupyterLabPageFixture): Promise<void> =>
  page.evaluate(() => {
    const window_ = window as unknown as Window_;
    const { commands } = window_.jupyterapp;
    const execute = commands.execute.bind(commands);
    window_.called = [];
    commands.execute = (command, options) => {
      window_.called.push(command);
      return execute(command, options);
    };
  });

/** What is in a part of the page that only markup would have brought there. */
const strayIn = `(root) => {
  const found = [];
  for (const node of root.querySelectorAll("*")) {
    if (/^(script|iframe|object|embed|foreignobject|use|animate|set|link|meta|base|form|video|audio|style|a|template)$/i.test(node.localName))
      found.push("<" + node.localName + ">");
    for (const { name, value } of node.attributes)
      if (/^on|^data-commandlinker/.test(name) || (/^(href|src|xlink:href|action)$/.test(name) && !/^data:image\\/png/.test(value)))
        found.push(node.localName + " " + name + "=" + value.slice(0, 80));
    const { id } = node;
    if (/^(jupyterapp|body|documentElement)$/.test(id)) found.push("id " + id);
  }
  return found;
}`;

test("hostile outputs are text, a picture, or a sentence", async ({ page, tmpPath }) => {
  if (isLong) test.setTimeout(1_200_000);
  test.info().annotations.push({ type: "seed", description: String(seed) });
  const random = randomOf(seed);
  const payloads = hostilePayloads(seed, all);
  const chosen = isLong
    ? payloads
    : payloads
        .map((each) => [random(), each] as const)
        .sort(([a], [b]) => a - b)
        .slice(0, sample)
        .map(([, each]) => each);
  await page.contents.uploadContent(notebookOf(typescript, [{ source: "1" }]), "text", `${tmpPath}/hostile.ipynb`);
  await open(page, `${tmpPath}/hostile.ipynb`, { start: false });
  await noteCommands(page);
  const noticed = watch(page);
  for (const { mime, data, what } of chosen) {
    const problems = await page.evaluate(
      async ({ mime, data, strayIn }) => {
        const window_ = window as unknown as Window_;
        const { rendermime } = window_.jupyterapp.shell.currentWidget.content;
        const stray = (0, eval)(strayIn) as (root: Element) => string[];
        const problems: string[] = [];
        const drawn = (): Promise<void> =>
          new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
        for (const trusted of [false, true]) {
          const bundle = JSON.parse(data) as object;
          const preferred = rendermime.preferredMimeType(bundle, trusted ? "any" : "ensure");
          if (preferred !== mime) problems.push(`shown as ${preferred}`);
          const renderer = rendermime.createRenderer(mime);
          const frame = document.createElement("div");
          frame.className = "jp-Notebook";
          frame.style.cssText = "position: fixed; inset: 0; overflow: auto; z-index: 1000; background: white";
          document.body.append(frame);
          frame.append(renderer.node);
          try {
            await renderer.renderModel(rendermime.createModel({ data: bundle, metadata: {}, trusted }));
            await drawn();
            for (const tab of renderer.node.querySelectorAll<HTMLElement>("[role=tab]")) {
              tab.click();
              await drawn();
              problems.push(...stray(renderer.node));
            }
            if (renderer.node.textContent === "" && renderer.node.querySelector("canvas, svg, img") === null)
              problems.push("nothing is shown");
            problems.push(...stray(renderer.node));
            for (const node of renderer.node.querySelectorAll<HTMLElement>("*"))
              if (!node.closest("button, input, select, summary"))
                node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
            await drawn();
          } catch (error) {
            problems.push(`thrown: ${String(error)}`);
          }
          renderer.dispose();
          frame.remove();
        }
        if (window_.hostile !== undefined || "hostile" in {}) problems.push("a script ran");
        if (window_.called.length > 0) problems.push(`called ${window_.called.splice(0).join(", ")}`);
        return problems;
      },
      { mime, data, strayIn },
    );
    expect.soft([...new Set([...problems, ...noticed.splice(0)])], `seed ${seed}, ${mime}: ${what}`).toEqual([]);
  }
});

/** What panels are answered; `TEXT` stands where a kernel sends words, and a part may be replaced by nonsense. */
const place = { text: "TEXT", cell: "TEXT", count: 1, line: 1 };
const block = { bytes: 64, count: 1, place: 1, shape: [4], dtype: "TEXT", names: ["TEXT"], since: 1e12 };
const answers: Readonly<Record<string, Record<string, unknown>>> = {
  "warpcell.variables": {
    variables: [
      {
        name: "TEXT",
        type: "TEXT",
        value: "TEXT",
        isImport: false,
        shape: [2],
        dtype: "TEXT",
        device: "TEXT",
        tensors: 1,
        bytes: 8,
        id: "TEXT",
        place,
      },
    ],
    running: false,
    problem: null,
  },
  "warpcell.memory": {
    devices: [
      {
        device: "TEXT",
        allocated: 64,
        reserved: 128,
        peak: 64,
        free: 64,
        largestFree: 64,
        named: 64,
        places: [place],
        segments: [{ bytes: 128, blocks: [block, { ...block, place: -1 }] }],
        largest: [block],
        byCell: [{ text: "TEXT", bytes: 64, blocks: 1 }],
      },
    ],
    cells: [{ text: "TEXT", cell: "TEXT", count: 1, device: "TEXT", before: 0, peak: 64, after: 64, running: false }],
    running: false,
    problem: null,
  },
  "warpcell.kernel": {
    code: [
      {
        kind: "kernel",
        name: "TEXT",
        signature: "TEXT",
        device: "TEXT",
        registers: 1,
        shared: 1,
        execution: "TEXT",
        lastTime: 1,
        place,
      },
    ],
    cache: { directory: "TEXT", files: 1, bytes: 1 },
    devices: [{ device: "TEXT", name: "TEXT", keepsArrays: true }],
    machine: [],
    running: false,
    problem: null,
  },
};
const nonsense: readonly unknown[] = [null, -1, 1e308, "NaN", [], {}, { length: 1e9 }, { toString: 1 }, [[[[]]]], true];

/** One of the answers with TEXT or one other part replaced. */
function answerOf(target: string, random: () => number): Record<string, unknown> {
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  // Half a character is no UTF-8, and travels in no message.
  const text = oneOf(markups.filter((each) => each.isWellFormed()));
  const isText = random() < 0.5;
  const at = isText ? -1 : Math.floor(random() * 24);
  let seen = 0;
  const copy = (value: unknown): unknown => {
    if (seen++ === at) return oneOf(nonsense);
    if (value === "TEXT") return isText ? text : "x";
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each)]));
  };
  return copy(answers[target]) as Record<string, unknown>;
}

/** From here on the page counts the answers of the kernel's comms, of whatever target. */
const countAnswers = (page: IJupyterLabPageFixture): Promise<void> =>
  page.evaluate(() => {
    type Message = { header: { msg_type: string } };
    const { jupyterapp } = window as unknown as {
      jupyterapp: {
        shell: {
          currentWidget: {
            sessionContext: { iopubMessage: { connect(slot: (sender: unknown, message: Message) => void): void } };
          };
        };
      };
    };
    const window_ = window as unknown as { answered: number };
    window_.answered = 0;
    jupyterapp.shell.currentWidget.sessionContext.iopubMessage.connect((_, { header }) => {
      if (header.msg_type === "comm_msg") window_.answered++;
    });
  });
const answered = (page: IJupyterLabPageFixture): Promise<number> =>
  page.evaluate(() => (window as unknown as { answered: number }).answered);

test("hostile answers to the panels are text or a sentence", async ({ page, tmpPath }) => {
  const random = randomOf(seed + 1);
  const rounds = isLong ? 40 : 4;
  if (isLong) test.setTimeout(1_200_000);
  const targets = Object.keys(answers);
  const sources = targets.map((target) => {
    const all = Array.from({ length: rounds }, () => answerOf(target, random));
    // A text of JSON is one of Python, too.
    const json = JSON.stringify(JSON.stringify(all));
    return { source: `import json\nanswers[${JSON.stringify(target)}] = json.loads(${json})` };
  });
  sources.push({ source: "'asks anew'" });
  await page.contents.uploadContent(notebookOf(scripted, sources), "text", `${tmpPath}/hostile-comms.ipynb`);
  await open(page, `${tmpPath}/hostile-comms.ipynb`);
  await expect(page.getByText("Scripted gauges | Idle")).toBeVisible();
  const noticed = watch(page);
  await countAnswers(page);
  for (const [index, target] of targets.entries()) {
    const name = target.slice("warpcell.".length);
    const panel = page.locator(`#warpcell-${name}`);
    await page.notebook.selectCells(index);
    await run(page, "notebook:run-cell");
    await expect(page.getByText("Scripted gauges | Idle")).toBeVisible();
    await run(page, `warpcell:show-${name}`);
    await expect(panel).toBeVisible();
    await page.notebook.selectCells(targets.length);
    for (let round = 0; round < rounds; round++) {
      const before = await answered(page);
      await run(page, "notebook:run-cell");
      await expect.poll(() => answered(page)).toBeGreaterThan(before);
      // Shown, or refused: whatever it is, the panel says something.
      await expect(panel).not.toBeEmpty();
      const problems = await panel.evaluate(
        (node, strayIn) => ((0, eval)(strayIn) as (root: Element) => string[])(node),
        strayIn,
      );
      const hasRun = await page.evaluate(() => (window as unknown as Window_).hostile !== undefined);
      expect
        .soft(
          [...problems, ...noticed.splice(0), ...(hasRun ? ["a script ran"] : [])],
          `seed ${seed}, ${target}, round ${round}`,
        )
        .toEqual([]);
    }
  }
});

const viewed = { version: 1, id: "x", shape: [300, 4], dtype: "float32", device: "cpu" };

// All that may be wrong with them is in the units' tests; here is what the page does.
test("tensors to open, tiles and answers to the editor that do not fit are refused", async ({ page, tmpPath }) => {
  const python = (value: unknown) => `json.loads(${JSON.stringify(JSON.stringify(value))})`;
  const opened = (data: object) => `create_comm(target_name="warpcell.viewer", data=${python(data)})`;
  const [, name] = markups;
  const sources = [
    `import json\nfrom comm import create_comm\nanswers["warpcell.editor"] = ${python([{ answer: "x" }])}\nanswers["warpcell.mistakes"] = ${python([[7], { mistakes: [{}, null] }])}\nanswers["warpcell.tensor"] = ${python([[7]])}`,
    opened({ ...viewed, shape: name }),
    opened({ ...viewed, name }),
    `answers["warpcell.tensor"] = ${python([{ tile: 7 }])}\n${opened({ ...viewed, id: "y", name })}`,
  ];
  const cells = sources.map((source) => ({ source }));
  await page.contents.uploadContent(notebookOf(scripted, cells), "text", `${tmpPath}/refused.ipynb`);
  await open(page, `${tmpPath}/refused.ipynb`);
  await expect(page.getByText("Scripted gauges | Idle")).toBeVisible();
  const noticed = watch(page);
  await noteCommands(page);
  const note = (hasText: string) => page.locator(".Toastify__toast", { hasText });
  const viewer = page.locator(".warpcell-viewer");

  await page.notebook.runCell(0, true);
  await run(page, "warpcell:go-to-definition");
  await expect(note("Nothing that is declared stands here.")).toBeVisible();
  await page.notebook.runCell(1, true);
  await expect(note('"shape" of a tensor to open is')).toBeVisible();
  await expect(viewer).toHaveCount(0);

  // Not by `runCell`: it waits for the notebook's state in the status bar, where the viewer is in front by then.
  await page.notebook.selectCells(2);
  await run(page, "notebook:run-cell");
  const problems = viewer.locator(".warpcell-viewer-status.warpcell-problem");
  await expect(problems).toHaveText(/^The kernel answered without saying which question/);
  await page.notebook.activate("refused.ipynb");
  await page.notebook.selectCells(3);
  await run(page, "notebook:run-cell");
  await expect(problems).toHaveCount(2);
  await expect(problems.last()).toHaveText("A tile of a tensor is 7 but should be a record of fields.");
  await page.screenshot({ path: shot("refused-tile") });
  const stray = await page
    .locator(".warpcell-viewer, .Toastify__toast")
    .evaluateAll((nodes, strayIn) => nodes.flatMap((0, eval)(strayIn) as (root: Element) => string[]), strayIn);
  expect([...stray, ...noticed]).toEqual([]);
  expect(await page.evaluate(() => (window as unknown as Window_).hostile)).toBeUndefined();
});
