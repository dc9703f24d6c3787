// Charts through the real kernel: a line, a cloud of points, a histogram and an image, in the page's colours and with the
// values at the pointer, live while a cell runs, and in the stored notebook.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, output, shot, typescript } from "./notebook";

const chartMime = "application/vnd.warpcell.chart.v1+json";
const sources = [
  'import { cat, linspace, ones, plot, randn, zeros } from "warpcell";\nconst x = linspace(0, 6, 61);\nplot(x, { sine: x.sin(), cosine: x.cos() }, { title: "Two waves", xLabel: "x", yLabel: "height" });',
  'const points = cat([randn([150, 2], { seed: 1 }), randn([150, 2], { seed: 2 }).add(3)]);\nplot.scatter(points, { color: cat([zeros([150]), ones([150])]), labels: ["left", "right"], title: "Two clouds" });',
  'plot.histogram(randn([100000], { seed: 3 }), { title: "Normal" });',
  'plot.image(x.sin().mul(x.cos().unsqueeze(1)), { colorMap: "diverging" });',
  "const loss = plot({ loss: [] });\ndisplay(loss);\nfor (let step = 0; step < 10000; step++) loss.add({ loss: 1 / (step + 1) });",
  "({ weights: randn([64, 64], { seed: 4 }), bias: linspace(0, 1, 64) });",
  "display(plot([1, 4, 2, 5]).toSpec());",
];

test("a line, points, a histogram and an image; live; with values at the pointer and by keys", async ({
  page,
  tmpPath,
}) => {
  const path = `${tmpPath}/charts.ipynb`;
  await page.contents.uploadContent(
    notebookOf(
      typescript,
      sources.map((source) => ({ source })),
    ),
    "text",
    path,
  );
  await open(page, path);
  await page.notebook.run();
  const chart = (index: number) => cell(page, index).locator(".warpcell-chart svg");
  for (const index of [0, 1, 2, 4]) await expect(chart(index)).toHaveCount(1);
  await expect(chart(0)).toHaveAttribute("aria-label", /^Two waves: 122 points\n/);
  await expect(chart(0).locator("path.warpcell-chart-line")).toHaveCount(2);
  await expect(chart(1).locator("path.warpcell-chart-points")).toHaveCount(2);
  await expect(chart(2).locator("path.warpcell-chart-bars")).toHaveCount(1);
  await expect(cell(page, 3).locator(".jp-RenderedImage img")).toHaveCount(1);
  // Vega draws what is Vega's, and only that.
  await expect(cell(page, 6).locator(".vega-embed")).toHaveCount(1);
  await expect(cell(page, 5).locator("table img")).toHaveCount(2);

  // 10,000 updates: the last one is shown, in one output.
  await expect(chart(4)).toHaveAttribute("aria-label", /^Chart: 10,000 points, loss /);
  await expect(cell(page, 4).locator(".jp-OutputArea-child")).toHaveCount(1);

  // The crest of the sine, by pointer and by keys.
  await chart(0).scrollIntoViewIfNeeded();
  const box = (await chart(0).boundingBox())!;
  const reading = cell(page, 0).locator(".warpcell-chart-reading");
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5);
  await expect(reading).toBeVisible();
  await page.screenshot({ path: shot("charts-line-light") });
  await chart(0).focus();
  await page.keyboard.press("Home");
  await expect(reading).toHaveText(/^0sine: 0cosine: 1$/);
  for (let step = 0; step < 10; step++) await page.keyboard.press("ArrowRight");
  await expect(reading).toHaveText(/^1sine: 0\.84\d*cosine: 0\.54\d*$/);
  await page.keyboard.press("Escape");
  await expect(reading).toBeHidden();

  for (const index of [1, 2, 3, 4, 5, 6]) {
    await cell(page, index).scrollIntoViewIfNeeded();
    await cell(page, index).screenshot({ path: shot(`charts-${index}-light`) });
  }
  await page.theme.setDarkTheme();
  const texts = cell(page, 0).locator(".warpcell-chart text");
  for (const index of [0, 1, 2, 3, 4, 5, 6]) {
    await cell(page, index).scrollIntoViewIfNeeded();
    await cell(page, index).screenshot({ path: shot(`charts-${index}-dark`) });
  }
  expect(await texts.count()).toBeGreaterThan(10);

  await page.notebook.save();
  const stored = await page.evaluate(async (path) => {
    type Contents = {
      get(path: string): Promise<{ content: { cells: { outputs: { data: Record<string, string> }[] }[] } }>;
    };
    const app = (window as unknown as { jupyterapp: { serviceManager: { contents: Contents } } }).jupyterapp;
    return (await app.serviceManager.contents.get(path)).content;
  }, path);
  const bundle = (index: number) => stored.cells[index]!.outputs[0]!.data;
  for (const index of [0, 1, 2, 4])
    expect(Object.keys(bundle(index)).toSorted()).toEqual([chartMime, "image/svg+xml", "text/plain"].toSorted());
  expect([bundle(4)["text/plain"]].flat().join("")).toContain("10,000 points");
  expect(Object.keys(bundle(3)).toSorted()).toEqual(["image/png", "text/plain"]);

  // In a narrow notebook its words stay as large as can be read, and it is scrolled within its output.
  await page.setViewportSize({ width: 400, height: 900 });
  const widths = () =>
    cell(page, 0)
      .locator(".warpcell-chart")
      .evaluate((node) => ({
        drawing: Math.round(node.querySelector("svg")!.getBoundingClientRect().width),
        isScrolled: node.scrollWidth > node.clientWidth,
        isWithin: node.getBoundingClientRect().right <= node.closest(".jp-OutputArea")!.getBoundingClientRect().right,
      }));
  await expect.poll(widths).toEqual({ drawing: 480, isScrolled: true, isWithin: true });
  await page.screenshot({ path: shot("charts-narrow") });
});

const hostile = [
  '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit = 1"><script>window.hit = 1</script><text onclick="window.hit = 1">fine</text></svg>',
  '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="x" onerror="window.hit = 1"/></foreignObject><text>fine</text></svg>',
  '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://example.invalid/x.png"/><use href="#x"/><a href="javascript:window.hit = 1"><text>a</text></a><style>* { display: none }</style><text id="jupyterapp" style="color: red" fill="url(https://example.invalid/x)">fine</text></svg>',
];

test("a drawing that does more than draw is drawn without that, and what is none is a sentence", async ({
  page,
  tmpPath,
}) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const axis = { low: 0, high: 1, isLogarithmic: false };
  const payload = {
    version: 1,
    width: 100,
    height: 50,
    area: { left: 0, top: 0, width: 100, height: 50 },
    x: axis,
    y: axis,
    kind: "line",
  };
  const path = `${tmpPath}/hostile-charts.ipynb`;
  const outputs = [...hostile, "<svg", "<html><body/></html>"].map((svg) =>
    output({ [chartMime]: payload, "image/svg+xml": svg }),
  );
  const wrong = output({ [chartMime]: { ...payload, width: "wide" }, "image/svg+xml": hostile[0]! });
  const cells = [...outputs, wrong].map((each) => ({ source: "", outputs: [each], count: 1 }));
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", path);
  await open(page, path, { start: false });
  for (const index of hostile.keys()) {
    await expect(cell(page, index).locator(".warpcell-chart text")).toHaveText("fine");
    await expect(
      cell(page, index).locator(".warpcell-chart :is(a, script, style, use, foreignObject, [id=x])"),
    ).toHaveCount(0);
  }
  for (const index of [3, 4])
    await expect(cell(page, index).locator(".warpcell-problem")).toHaveText(
      "The drawing of this chart cannot be read: it is no SVG of a chart.",
    );
  await expect(cell(page, 5).locator(".warpcell-problem")).toHaveText(
    '"width" of a chart is "wide" but should be a number from 1 to 10000.',
  );
  expect(await page.evaluate(() => (window as unknown as { hit?: number }).hit)).toBeUndefined();
  expect(requests.filter((url) => url.includes("example.invalid"))).toEqual([]);
});
