// Slices of a tensor with several axes: sliders ask the real kernel, keys on them stay in them, and a kernel that is
// gone is said.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";

const source = `import { arange } from "warpcell";
const x = arange(5 * 3 * 40 * 60).reshape([5, 3, 40, 60]).sub(18000);
x`;

test("sliders show any slice, and say when the kernel is gone", async ({ page, tmpPath }) => {
  const cells = [{ source }, { source: "for (;;) ;" }];
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", `${tmpPath}/slices.ipynb`);
  await open(page, `${tmpPath}/slices.ipynb`);
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await page.notebook.runCell(0);

  const view = cell(page, 0).locator(".warpcell-tensor");
  const note = view.locator(".warpcell-heat-map-note");
  const limits = view.locator(".warpcell-heat-map-limit");
  await expect(view.locator(".warpcell-tensor-slider-label")).toHaveText([/^axis 0/, /^axis 1/]);
  await expect(note).toHaveText("the first slice [0, 0, :, :]");
  // One range for the whole tensor, in every slice.
  await expect(limits).toHaveText(["-18000", "18000"]);

  const [first, second] = [
    view.locator(".warpcell-tensor-slider").nth(0),
    view.locator(".warpcell-tensor-slider").nth(1),
  ];
  await first.fill("2");
  await expect(note).toHaveText("slice [2, 0, :, :]");
  await second.focus();
  await page.keyboard.press("ArrowRight");
  await expect(note).toHaveText("slice [2, 1, :, :]");
  await expect(limits).toHaveText(["-18000", "18000"]);
  await expect(second).toBeFocused();
  await view
    .locator("canvas")
    .first()
    .hover({ position: { x: 1, y: 1 } });
  await expect(view.locator(".warpcell-heat-map-reading")).toHaveText("[2, 1, 0, 0] -1200");
  await page.screenshot({ path: shot("slices") });

  const runCommand = (command: string) =>
    page.evaluate(async (command) => {
      const { jupyterapp } = window as unknown as {
        jupyterapp: { commands: { execute(command: string): Promise<unknown> } };
      };
      void jupyterapp.commands.execute(command);
    }, command);
  await page.notebook.selectCells(1);
  await runCommand("notebook:run-cell");
  await expect(page.getByText(/TypeScript \+ CUDA \| Busy/)).toBeVisible();
  await first.fill("3");
  await expect(note).toHaveText("slice [3, 1, :, :] while the kernel works");
  await runCommand("notebook:interrupt-kernel");
  // It is asked for again by itself.
  await expect(note).toHaveText("slice [3, 1, :, :]");
  await first.fill("2");
  await expect(note).toHaveText("slice [2, 1, :, :]");

  await page.evaluate(async () => {
    const app = (
      window as unknown as {
        jupyterapp: { shell: { currentWidget: { sessionContext: { restartKernel(): Promise<void> } } } };
      }
    ).jupyterapp;
    await app.shell.currentWidget.sessionContext.restartKernel();
  });
  await expect(page.getByText(/TypeScript \+ CUDA \| Idle/)).toBeVisible();
  await first.fill("4");
  await expect(view.locator(".warpcell-tensor-slider-problem")).toHaveText(/Run its cell again to see its slices\.$/);
  await expect(note).toHaveText("slice [2, 1, :, :]");
});
