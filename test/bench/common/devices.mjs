// What every benchmark of devices shares.
export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** One figure for `npm run bench`, a JSON object a line. */
export const print = (figure) => console.log(JSON.stringify(figure));

/** The devices of this machine; one that is not there is named with the reason. */
export async function* devices() {
  // Not at the top: a benchmark may have to set the cache's folder before the library is loaded.
  const { DeviceProcess } = await import("../../../native/dist/device/process.js");
  for (const name of ["cpu", "cuda"]) {
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
