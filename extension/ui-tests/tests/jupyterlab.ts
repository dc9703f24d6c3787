// Galata's test with one more demand: no error thrown by this extension goes unseen. JupyterLab has a few of its own.
import { expect, JupyterLabPage, test as base } from "@jupyterlab/galata";

export { expect };

// Galata waits fifteen seconds for a page to be there, which is less than a busy machine needs.
const { waitForCondition } = JupyterLabPage.prototype;
JupyterLabPage.prototype.waitForCondition = function (condition, timeout = 120_000) {
  return waitForCondition.call(this, condition, timeout);
};

export const test = base.extend<{ quietPage: void }>({
  // Galata would answer for the server on kernels, and answers a restart with a status that JupyterLab takes for a
  // failure: it then keeps the old connection.
  kernels: null,
  quietPage: [
    async ({ page }, use) => {
      const errors: string[] = [];
      page.on("pageerror", ({ message, stack = "" }) => {
        if (stack.includes("@warpcell/jupyterlab")) errors.push(message);
      });
      await use();
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});
