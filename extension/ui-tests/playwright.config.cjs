// How Playwright starts JupyterLab and the browser; run.mjs chooses the port, the folders and the Python.
const { join } = require("node:path");
const base = require("@jupyterlab/galata/lib/playwright-config");

const url = process.env.TARGET_URL;

module.exports = {
  ...base,
  testDir: join(__dirname, process.env.WARPCELL_UI_TESTS ?? "tests"),
  outputDir: process.env.WARPCELL_UI_RESULTS,
  // Longer than a busy machine needs: JupyterLab alone may take half a minute there.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  // Half of a test waits for pages to load; each has kernels, settings and a folder of its own.
  workers: 2,
  retries: 0,
  reporter: [["list"], ["json", { outputFile: process.env.WARPCELL_UI_REPORT }]],
  use: {
    ...base.use,
    baseURL: url,
    viewport: { width: 1280, height: 900 },
    // Galata's default records video with a program that only Playwright's own browsers bring.
    video: "off",
    trace: "off",
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] },
  },
  webServer: {
    command: `"${process.env.WARPCELL_PYTHON}" -m jupyterlab --config "${join(__dirname, "jupyter_server_config.py")}"`,
    url: `${url}/lab`,
    timeout: 120_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
  },
};
