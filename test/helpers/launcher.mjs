// Starts the kernel as its child and waits, as Jupyter does: the process that a test kills to see what outlives it.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

spawn(process.execPath, [fileURLToPath(new URL("../../kernel/dist/main.js", import.meta.url)), process.argv[2]], {
  stdio: "inherit",
});
setInterval(() => undefined, 60_000);
