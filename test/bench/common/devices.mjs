// What every benchmark of devices shares.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const own = fileURLToPath(new URL("../../../.cache/rivals/bin/python", import.meta.url));
/** Where rivals may be, in this order: what the user names, what `npm run bench` made, what the system has. */
export const rivalPythons = [
  process.env.WARPCELL_RIVAL_PYTHON,
  existsSync(own) ? own : undefined,
  "python3",
  "/usr/bin/python3",
].filter(Boolean);

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** One figure for `npm run bench`, a JSON object a line. */
export const print = (figure) => console.log(JSON.stringify(figure));

/** What is measured: all, or those that the tests are told to run on. */
const names = process.env.WARPCELL_TEST_DEVICES?.split(",") ?? ["cpu", "cuda"];

/** The devices of this machine; one that is not there is named with the reason. */
export async function* devices() {
  // Not at the top: a benchmark may have to set the cache's folder before the library is loaded.
  const { DeviceProcess } = await import("../../../native/dist/device/process.js");
  for (const name of names) {
    let device;
    try {
      device = DeviceProcess.get(name);
    } catch (error) {
      console.log(`${name}: not measured: ${error.message}`);
      continue;
    }
    yield { name, device };
  }
}
