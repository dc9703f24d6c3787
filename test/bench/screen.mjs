// What the screen costs a user: the figures of extension/ui-tests/bench, taken in a real browser.
import { spawn } from "node:child_process";

const runner = new URL("../../extension/ui-tests/run.mjs", import.meta.url).pathname;
const child = spawn(process.execPath, [runner], {
  env: { ...process.env, WARPCELL_UI_TESTS: "bench" },
  stdio: "inherit",
});
child.on("close", (code) => process.exit(code ?? 1));
