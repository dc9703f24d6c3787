// A launch that is only checked: grid, block and shared memory against the limits of a device, and of a kernel there.
import { deviceNamed } from "../device/choice.ts";
import { LaunchError } from "../errors.ts";
import { worded } from "../wording.ts";
import { Kernel } from "./kernel.ts";
import { LaunchPlan, type LaunchConfig } from "./plan.ts";

/**
 * `kernel`: its own limits count too, such as those of its registers. `device`: the kernel's, or the default one, when
 * left out.
 */
export interface LaunchToValidate extends LaunchConfig {
  readonly kernel?: Kernel<never>;
  readonly device?: string;
}

/**
 * Throws the LaunchError that a launch with these sizes would throw: it names the limit. Nothing is launched.
 * @example
 * validateLaunch({ grid: 64, block: 256 }); // nothing: such a launch is allowed
 */
export function validateLaunch({ kernel, device, ...config }: LaunchToValidate): void {
  if (kernel !== undefined && !(kernel instanceof Kernel))
    throw new LaunchError(
      "KERNEL",
      `validateLaunch takes a kernel, or none, but got ${worded(kernel)}. An instance of a template is one: axpy.as("float").`,
    );
  const on = deviceNamed(device ?? kernel?.info.device);
  if (kernel !== undefined && on.name !== kernel.info.device)
    throw new LaunchError(
      "OTHER_DEVICE",
      `Kernel ${kernel.name} was compiled for ${kernel.info.device}: its limits on ${on.name} are not known.`,
    );
  const limits = kernel?.info ?? { maxThreads: null, shared: null };
  new LaunchPlan(kernel?.name ?? "", 0, [], 0, on, limits, on).record(config, []);
}
