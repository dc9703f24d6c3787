// `npm run docs` as a whole: the site is made, every link in it leads somewhere, and it loads nothing from elsewhere.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { brokenLinks, makeSite, site } from "../scripts/docs.mjs";

test("the site has a page for every guide and every name, and no link that leads nowhere", async () => {
  await makeSite();
  expect(brokenLinks()).toEqual([]);
  const functions = readdirSync(join(site, "functions"));
  for (const name of ["exp", "zeros", "softmax", "crossEntropy"]) expect(functions).toContain(`warpcell.${name}.html`);
  expect(readdirSync(join(site, "documents")).length).toBeGreaterThanOrEqual(10);
  expect(readFileSync(join(site, "functions", "warpcell.exp.html"), "utf8")).toContain("The exponential function");
}, 600_000);
