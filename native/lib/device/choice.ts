// Which device a tensor goes to: turns a name, or none, into a device, and says why the default is what it is.
import { DeviceUnavailable } from "../errors.ts";
import { DeviceProcess } from "./process.ts";
import { worded } from "../wording.ts";

/** Where tensors are made when no device is named. */
export interface DefaultDevice {
  readonly device: DeviceProcess;
  /** A sentence: why this one. */
  readonly reason: string;
}

type Get = (kind: "cpu" | "cuda", index: number) => DeviceProcess;

const get: Get = (kind, index) => DeviceProcess.get(kind, index);
const getForViews: Get = (kind, index) => DeviceProcess.getForViews(kind, index);

let chosen: DefaultDevice | undefined;
let chosenForViews: DefaultDevice | undefined;

/**
 * The device that new tensors go to: `WARPCELL_DEVICE`, else the first GPU when it works, else the CPU with the reason.
 * Decided once.
 * @example
 * defaultDevice().device.name; // → 'cpu'
 */
export function defaultDevice(): DefaultDevice {
  return (chosen ??= choose(process.env["WARPCELL_DEVICE"], get));
}

function choose(wanted: string | undefined, get: Get): DefaultDevice {
  if (wanted !== undefined && wanted !== "")
    return { device: named(wanted, get), reason: `WARPCELL_DEVICE is "${wanted}".` };
  try {
    const device = get("cuda", 0);
    return { device, reason: `An NVIDIA GPU works: ${device.properties.name}.` };
  } catch (error) {
    if (!(error instanceof DeviceUnavailable)) throw error;
    return { device: get("cpu", 0), reason: `No GPU is used: ${error.message}` };
  }
}

// More digits than any machine has GPUs: a number that does not fit an int would name another.
const pattern = /^(?:(cpu)(?::0)?|(cuda)(?::([0-9]{1,4}))?)$/;

export function isDeviceName(name: unknown): name is string {
  return typeof name === "string" && pattern.test(name);
}

function named(name: string, get: Get): DeviceProcess {
  if (!isDeviceName(name))
    throw new DeviceUnavailable(
      "DEVICE_NAME",
      String(name),
      `A device is named "cpu", "cuda" or "cuda:N", not ${worded(name)}.`,
    );
  const [, cpu, cuda, index] = pattern.exec(name)!;
  const kind = cpu ?? cuda;
  return get(kind as "cpu" | "cuda", Number(index ?? 0));
}

/**
 * The device of that name, or the default one. Throws DeviceUnavailable with the reason; it never falls back to
 * another.
 */
export function deviceNamed(name?: string): DeviceProcess {
  return name === undefined ? defaultDevice().device : named(name, get);
}

/** {@link deviceNamed} for a thread that answers front ends beside the user's work: in a process of its own. */
export function deviceForViews(name?: string): DeviceProcess {
  if (name !== undefined) return named(name, getForViews);
  return (chosenForViews ??= choose(process.env["WARPCELL_DEVICE"], getForViews)).device;
}
