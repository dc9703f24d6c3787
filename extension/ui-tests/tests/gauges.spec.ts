// The status-bar item against a kernel that sends exactly what a cell says: fresh, stale and broken messages, other
// kernels, a restart.
import type { IJupyterLabPageFixture } from "@jupyterlab/galata";
import { expect, test } from "./jupyterlab";
import { gauge, notebookOf, open, python, scripted, shot, typescript } from "./notebook";

const cells = [
  "gauges[0].send(gauge(5))",
  "gauges[0].send(gauge(3, allocated=99 * 2**30))\ngauges[0].send(gauge(6, busy=True, allocated=512 * 2**20, utilization=1.0))",
  'gauges[0].send(gauge(7, devices="many"))',
  "gauges[0].send(gauge(8, allocated=2 * 2**30))",
  "gauges[-1].send(gauge(1, allocated=4 * 2**30))",
];

async function run(page: IJupyterLabPageFixture, index: number): Promise<void> {
  await page.notebook.selectCells(index);
  await page.notebook.runCell(index, true);
}

test("the item shows the newest message, says what is wrong with a broken one, and survives a restart", async ({
  page,
  tmpPath,
}) => {
  await page.contents.uploadContent(
    notebookOf(
      scripted,
      cells.map((source) => ({ source })),
    ),
    "text",
    `${tmpPath}/scripted.ipynb`,
  );
  await open(page, `${tmpPath}/scripted.ipynb`);
  const item = gauge(page);
  await expect(page.getByText("Scripted gauges | Idle")).toBeVisible();
  await expect(item).toBeHidden();

  await run(page, 0);
  await expect(item).toHaveText("cuda:0 · 256 MiB of 140 GiB · 37 %");
  await expect(item).toHaveAttribute("data-busy", "false");
  await expect(item).toHaveAttribute(
    "title",
    /^cpu: Host\n[\s\S]*cuda:0: NVIDIA H200: new tensors go here\ntensors of this notebook: 256 MiB\nat most so far: 300 MiB\nheld for them: 512 MiB\nmemory in use on the device: 1\.2 \/ 140 GiB\nutilization: 37 %\ntemperature: 41 °C\npower: 120 W$/,
  );

  await run(page, 1);
  await expect(item).toHaveText("cuda:0 · 512 MiB of 140 GiB · 100 %");
  await expect(item).toHaveAttribute("data-busy", "true");
  await page.screenshot({ path: shot("gauges-light"), clip: { x: 0, y: 860, width: 1280, height: 40 } });

  await run(page, 2);
  await expect(item).toHaveText("gauges unreadable");
  await expect(item).toHaveAttribute("title", '"devices" of a gauges message is "many" but should be a list.');
  await run(page, 3);
  await expect(item).toHaveText("cuda:0 · 2.0 GiB of 140 GiB · 37 %");

  await page.evaluate(async () => {
    const app = (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { sessionContext: { restartKernel(): Promise<void> } } } };
      }
    ).jupyterapp;
    await app.shell.currentWidget.sessionContext.restartKernel();
  });
  await expect(item).toBeHidden();
  // What ipykernel says before JupyterLab has subscribed is lost, and with it the end of a run: it is pressed again,
  // and not waited for.
  await page.notebook.selectCells(4);
  await expect(async () => {
    await page.evaluate(() => {
      const app = (window as unknown as { jupyterapp: { commands: { execute(command: string): Promise<unknown> } } })
        .jupyterapp;
      void app.commands.execute("notebook:run-cell");
    });
    await expect(item).toHaveText("cuda:0 · 4.0 GiB of 140 GiB · 37 %", { timeout: 2000 });
  }).toPass({ timeout: 60_000 });
  await page.theme.setDarkTheme();
  await page.screenshot({ path: shot("gauges-dark"), clip: { x: 0, y: 860, width: 1280, height: 40 } });
});

test("the item belongs to the notebook in front, and only to kernels of ours", async ({ page, tmpPath }) => {
  await page.contents.uploadContent(notebookOf(scripted, [{ source: cells[0]! }]), "text", `${tmpPath}/scripted.ipynb`);
  await page.contents.uploadContent(notebookOf(python, [{ source: "1" }]), "text", `${tmpPath}/python.ipynb`);
  await open(page, `${tmpPath}/scripted.ipynb`);
  await expect(page.getByText("Scripted gauges | Idle")).toBeVisible();
  await run(page, 0);
  await expect(gauge(page)).toBeVisible();

  await open(page, `${tmpPath}/python.ipynb`);
  await expect(page.getByText(/Python 3.* \| Idle/)).toBeVisible();
  await expect(gauge(page)).toBeHidden();

  // What its kernel said last is there at once.
  await page.notebook.activate("scripted.ipynb");
  await expect(gauge(page)).toBeVisible();
  await page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").first().click();
  await page.notebook.setCell(0, "code", "gauges[-1].send(gauge(1))");
  await run(page, 0);
  await expect(gauge(page)).toBeVisible();
  await page.notebook.close(false);
  await expect(gauge(page)).toBeHidden();
});

test("a page that is left ends its gauges, and one that stays keeps them", async ({ page, tmpPath }) => {
  const path = `${tmpPath}/shared.ipynb`;
  await page.contents.uploadContent(notebookOf(typescript, [{ source: "1" }]), "text", path);
  await open(page, path);
  await expect(gauge(page)).toBeVisible();
  const second = await page.context().newPage();
  await second.goto(new URL(`/lab/workspaces/second/tree/${path}`, page.url()).href);
  await expect(second.locator(".warpcell-gauges")).toBeVisible();
  await expect.poll(() => openGauges(page)).toHaveLength(2);

  const before = await openGauges(page);
  // With no time to say anything.
  await second.evaluate(() => {
    WebSocket.prototype.send = () => undefined;
  });
  await second.goto("about:blank");
  await expect.poll(async () => (await openGauges(page)).filter((comm) => !before.includes(comm))).toHaveLength(1);
  expect(await openGauges(page)).toHaveLength(1);
  await expect(gauge(page)).toBeVisible();
});

/** The gauges comms that the kernel of the notebook in front has. */
function openGauges(page: IJupyterLabPageFixture): Promise<string[]> {
  return page.evaluate(async () => {
    type Kernel = { requestCommInfo(content: { target_name: string }): Promise<{ content: { comms: object } }> };
    const { kernel } = (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { sessionContext: { session: { kernel: Kernel } } } } };
      }
    ).jupyterapp.shell.currentWidget.sessionContext.session;
    return Object.keys((await kernel.requestCommInfo({ target_name: "warpcell.gauges" })).content.comms);
  });
}
