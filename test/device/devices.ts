// The devices that tests run on: those that WARPCELL_TEST_DEVICES names ("cpu", "cuda" or both, with a comma), each of
// which must work; else the CPU always and the first GPU where one works. "threads" is the CPU with the library's
// kernels as a GPU runs them: their blocks of many threads, barriers and warps without a GPU.
import { DeviceUnavailable } from "../../native/lib/errors.ts";
import { DeviceProcess } from "../../native/lib/device/process.ts";

const named = process.env["WARPCELL_TEST_DEVICES"]?.split(",");

export const devices: DeviceProcess[] = (named ?? ["cpu"]).map((name) => {
  if (name === "threads") {
    process.env["WARPCELL_CPU_LIBRARY"] = "threads";
    return DeviceProcess.get("cpu");
  }
  if (name !== "cpu" && name !== "cuda")
    throw new Error(`Expected WARPCELL_TEST_DEVICES to name cpu, cuda or both, or threads, but got "${name}".`);
  return DeviceProcess.get(name);
});

/** This machine has no GPU that works, and tests without one were not ruled out. */
export let isWithoutGpu = false;
if (named === undefined) {
  try {
    devices.push(DeviceProcess.get("cuda"));
  } catch (error) {
    if (!(error instanceof DeviceUnavailable)) throw error;
    isWithoutGpu = true;
    // A missing GPU is said, not passed over.
    console.log(`Device tests run on the CPU only. ${error.message}`);
  }
}
