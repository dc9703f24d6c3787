// Profiles that nobody's kernel sends: names that are markup, control characters or ten megabytes, and columns of
// nonsense, do nothing to the page.
import { expect, test } from "./jupyterlab";
import { cell, coloursOf, notebookOf, open, output, shot, typescript } from "./notebook";
import { payloadOf, trainingSlices } from "./trace-payload";

const mime = "application/vnd.warpcell.trace.v1+json";
const markup =
  '<img src=x onerror="window.hostile = true"><script>window.hostile = true</script>\u0000\u001b[2J\u202e\u2066';
const long = "x".repeat(10_000_000);

const hostileNames = (text: string) => {
  const payload = payloadOf(trainingSlices(1));
  const kinds = {
    ...payload,
    title: text,
    names: payload.names.map((name, index) => (index === 0 ? text : `${text.slice(0, 200)}${name}`)),
    tracks: payload.tracks.map((track) => ({ ...track, name: text.slice(0, 2000) })),
    notes: [text],
    counters: payload.counters.map((counter) => ({ ...counter, name: text.slice(0, 2000) })),
  };
  return {
    ...kinds,
    places: payload.places.map((place) => ({ ...place, text: text.slice(0, 2000) })),
    details: payload.details.map((detail) => ({
      ...detail,
      facts: [[text.slice(0, 2000), text.slice(0, 2000)]],
      stack: [text.slice(0, 2000)],
    })),
  };
};

const nonsense = payloadOf(trainingSlices(1));

test("hostile texts are shown as text, short, and columns of nonsense are a sentence", async ({ page, tmpPath }) => {
  const cells = [
    { source: "markup", outputs: [output({ [mime]: hostileNames(markup) })] },
    { source: "long", outputs: [output({ [mime]: hostileNames(long) })] },
    {
      source: "nonsense",
      outputs: [
        output({
          [mime]: {
            ...nonsense,
            slices: { ...nonsense.slices, track: Buffer.alloc(nonsense.slices.length * 2, 0xff).toString("base64") },
          },
        }),
      ],
    },
    { source: "large", outputs: [output({ [mime]: { ...nonsense, slices: { ...nonsense.slices, length: 4e9 } } })] },
  ];
  await page.contents.uploadContent(notebookOf(typescript, cells), "text", `${tmpPath}/hostile.ipynb`);
  await open(page, `${tmpPath}/hostile.ipynb`, { start: false });
  for (const index of [0, 1]) {
    const view = cell(page, index).locator(".warpcell-trace-view");
    const canvas = view.locator("canvas");
    await canvas.scrollIntoViewIfNeeded();
    await expect.poll(async () => (await coloursOf(canvas)).distinct).toBeGreaterThan(20);
    await canvas.focus();
    for (const key of ["ArrowRight", "ArrowDown", "ArrowDown", "e", "?", "m"]) await page.keyboard.press(key);
    await canvas.hover({ position: { x: 400, y: 60 } });
    await expect(view.locator(".warpcell-trace-details")).not.toBeEmpty();
    expect((await view.textContent())!.length).toBeLessThan(20_000);
    await expect(view.locator("img, script")).toHaveCount(0);
    expect(await view.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
    await page.keyboard.press("/");
    await page.keyboard.type("<img");
    await page.keyboard.press("Enter");
    await page.screenshot({ path: shot(`trace-hostile-${index}`) });
  }
  await expect(cell(page, 2).locator(".warpcell-trace")).toHaveText(
    'Expected "track" of slice 0 of a profile to be below 8 but got 65535.',
  );
  await expect(cell(page, 3).locator(".warpcell-trace")).toHaveText(
    "Expected a profile of 0 to 50000000 slices but got 4000000000.",
  );
  expect(await page.evaluate(() => "hostile" in window)).toBe(false);
});
