// The devices that this machine has: the CPU always, the first GPU where one works. A missing GPU is said, not passed over.
import { DeviceUnavailable } from "../../native/lib/errors.ts";
import { DeviceProcess } from "../../native/lib/process.ts";

export const devices: DeviceProcess[] = [DeviceProcess.get("cpu")];
try {
  devices.push(DeviceProcess.get("cuda"));
} catch (error) {
  if (!(error instanceof DeviceUnavailable)) throw error;
  console.log(`Device tests run on the CPU only. ${error.message}`);
}
