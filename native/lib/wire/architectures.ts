// The architectures whose machine code a GPU runs.

/**
 * "sm_89" becomes ["sm_89", "sm_88", …, "sm_80"], best first: a GPU runs code for its own generation up to its own
 * version. Code for "sm_90a" uses what only that version has, so it runs nowhere else. Systems on a chip (sm_87 …)
 * promise nothing of the kind and are given their own alone.
 */
export function runnableArchitectures(own: string): string[] {
  const capability = Number(/^sm_(\d+)[af]?$/.exec(own)?.[1] ?? NaN);
  if (Number.isNaN(capability)) return [own];
  const lowest = onChips.has(capability) ? capability : Math.floor(capability / 10) * 10;
  const plain = Array.from({ length: capability - lowest + 1 }, (_, step) => capability - step)
    .filter((each) => each === capability || !onChips.has(each))
    .map((each) => `sm_${each}`);
  return [...new Set([own, ...plain])];
}

// Jetson and its kin.
const onChips = new Set([53, 62, 72, 87, 101, 110]);
