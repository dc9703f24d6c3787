// The operators of a profile and its comparison with another one, taken by the real kernel.
import { expect, test } from "./jupyterlab";
import { cell, notebookOf, open, shot, typescript } from "./notebook";
import { setTheme } from "./themes";

const cells = [
  'import { profile, rand } from "warpcell";\nconst step = (rows: number, times: number) => {\n  const x = rand([rows, 64], { seed: 1 });\n  for (let time = 0; time < times; time++) x.softmax(1);\n  return x.matmul(x.transpose()).exp().sum().item();\n};\nconst before = await profile(() => step(256, 2));\nbefore.save("before.profile");\nbefore',
  "const after = await profile(() => { step(256, 8); step(32, 1); });\nafter",
];

const perfetto = `<script>
  addEventListener("message", ({ data, source }) => {
    if (data === "PING") return source.postMessage("PONG", "*");
    const { buffer, title } = data.perfetto;
    const { traceEvents } = JSON.parse(new TextDecoder().decode(buffer));
    const names = new Set(traceEvents.filter(({ ph }) => ph === "X").map(({ name }) => name));
    const pre = document.createElement("pre");
    pre.textContent = title + "\\n" + [...names].sort().join(" ");
    document.body.append(pre);
  });
</script>`;

test("operations by shape, and two profiles side by side", async ({ page, tmpPath, baseURL }) => {
  const path = `${tmpPath}/operators.ipynb`;
  await page.contents.uploadContent(
    notebookOf(
      typescript,
      cells.map((source) => ({ source })),
    ),
    "text",
    path,
  );
  await open(page, path);
  await page.notebook.run();
  const view = cell(page, 1).locator(".warpcell-trace-view");
  await view.getByRole("tab", { name: "Operations" }).click();
  const operations = view.getByRole("table", { name: "operations" });
  const row = (name: string | RegExp) =>
    operations.getByRole("row").filter({ has: page.getByRole("button", { name }) });
  await expect(row("softmax").filter({ hasText: "float32 [256, 64] → float32 [256, 64]" })).toContainText("8");
  await expect(row("softmax").filter({ hasText: "float32 [32, 64] → float32 [32, 64]" })).toHaveCount(1);
  await expect(row("matmul")).toHaveCount(2);

  // By a title, by words, and as text.
  await operations.getByRole("button", { name: "Calls" }).click();
  await expect(operations.getByRole("row").nth(1)).toContainText("softmax");
  await view.getByPlaceholder("Filter operations").fill("matmul 256");
  await expect(operations.getByRole("row")).toHaveCount(2);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await view.locator(".warpcell-sorted").getByRole("button", { name: "Copy" }).click();
  await expect(view.locator(".warpcell-sorted").getByRole("status")).toHaveText("1 row copied");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split("\n")[0]!.split("\t").slice(0, 2)).toEqual(["Operation", "On device"]);
  expect(copied.split("\n")[1]).toMatch(/^matmul\t\d+(\.\d+)?\t/);
  await view.getByPlaceholder("Filter operations").fill("");

  // A row leads to its line and to the timeline.
  await row("softmax").first().getByRole("button").click();
  await expect(view.getByRole("tab", { name: "Timeline" })).toHaveAttribute("aria-selected", "true");
  await expect(view.locator(".warpcell-trace-found")).toContainText("in front");

  const pictures = async (name: string) => {
    for (const theme of ["light", "dark"] as const) {
      await setTheme(page, theme);
      for (const width of [320, 1000, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        await view.scrollIntoViewIfNeeded();
        await page.screenshot({ path: shot(`${name}-${theme}-${width}`) });
      }
    }
    await setTheme(page, "light");
    await page.setViewportSize({ width: 1280, height: 900 });
  };
  await view.getByRole("tab", { name: "Operations" }).click();
  await page.sidebar.close("left");
  await pictures("operations");

  // Another output of the notebook, by operation.
  await view.getByRole("tab", { name: "Compare" }).click();
  const list = view.getByLabel("Compare with", { exact: true });
  await expect(list.locator("option")).toHaveCount(2);
  await list.selectOption({ index: 1 });
  await expect(view.locator(".warpcell-compare > .lm-Widget").first()).toContainText("Before: Profile of");
  const kernels = view.getByRole("table", { name: "kernels" });
  await expect(kernels.getByRole("columnheader", { name: "Difference" })).toHaveAttribute("aria-sort", "descending");
  await view.getByLabel("What is compared").selectOption("Operations");
  const both = view.getByRole("table", { name: "operations" }).last();
  const softmax = both.getByRole("row").filter({ hasText: "softmax" }).filter({ hasText: "[256, 64]" });
  await expect(softmax.getByRole("cell").nth(5)).toHaveText("2");
  await expect(softmax.getByRole("cell").nth(6)).toHaveText("8");
  await expect(softmax.getByRole("cell").nth(4)).toHaveText(/^\d+\.\d\d×$/);
  await expect(both.getByRole("row").filter({ hasText: "softmax" }).filter({ hasText: "[32, 64]" })).toContainText(
    "new",
  );
  await pictures("compare");

  // A file that the profile was saved to, and one that is none.
  const saved = await page.request.get(`${baseURL}/files/${tmpPath}/before.profile`);
  const chosen = view.locator("input[type=file]");
  await chosen.setInputFiles({ name: "before.profile", mimeType: "application/json", buffer: await saved.body() });
  await expect(view.locator(".warpcell-compare > .lm-Widget").first()).toContainText("Before: before.profile");
  await expect(softmax.getByRole("cell").nth(5)).toHaveText("2");
  // The button saves the same form of file.
  const download = page.waitForEvent("download");
  await view.getByRole("button", { name: "Save" }).click();
  expect((await download).suggestedFilename()).toBe("cell.profile");
  await chosen.setInputFiles(await (await download).path());
  await expect(softmax.getByRole("cell").nth(5)).toHaveText("8");
  await expect(softmax.getByRole("cell").nth(3)).toHaveText("0 ns");
  // Perfetto, of which a page with its way of receiving stands in.
  let asked = 0;
  await page.context().route("https://ui.perfetto.dev/**", (route) => {
    asked++;
    return route.fulfill({ contentType: "text/html", body: perfetto });
  });
  const perfettoButton = view.getByRole("button", { name: "Perfetto…" });
  await perfettoButton.click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("opens in a new tab");
  await page.screenshot({ path: shot("perfetto-question") });
  const file = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save file" }).click();
  expect((await file).suggestedFilename()).toBe("cell.trace.json");
  await perfettoButton.click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(asked).toBe(0);
  await perfettoButton.click();
  const opened = page.context().waitForEvent("page");
  await dialog.getByRole("button", { name: "Open" }).click();
  const tab = await opened;
  const taken = tab.locator("pre");
  await expect(taken).toContainText(/Profile of Cell \[2\]:1\n.*\bmatmul\b/);
  await tab.close();
  await page.evaluate(() => (window.open = () => null));
  await perfettoButton.click();
  await dialog.getByRole("button", { name: "Open" }).click();
  await expect(page.locator(".Toastify__toast")).toContainText("allow pop-ups of this page");

  await chosen.setInputFiles({ name: "odd.json", mimeType: "application/json", buffer: Buffer.from("{") });
  await expect(view.locator(".warpcell-compare")).toContainText("odd.json is not a profile: it is not JSON.");
  await chosen.setInputFiles({ name: "odd.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await expect(view.locator(".warpcell-compare")).toContainText("of a profile");
});
