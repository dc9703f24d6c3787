// The views of a profile's kernels, for the renderer of profiles.
export { Advice } from "./advice.ts";
export { makeOperators } from "./operators.ts";
export { Roofline } from "./roofline.ts";
export type { Show, Target } from "./show.ts";
export { KernelTable } from "./table.ts";
