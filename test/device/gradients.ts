// Checks gradients by finite differences: in float64, at the input given.
import { expect } from "vitest";
import { gradients, randn, tensor, type Tensor } from "../../native/lib/index.ts";

// Central differences: the step balances their truncation against rounding.
const step = 1e-5;
const slack = 2e-6;
/** Roundings of a value that is a sum of products, in units of its own: what the step divides. */
const rounding = 64 * 2 ** -53;

const numbersOf = (x: Tensor) => [x.reshape([-1]).toArray()].flat(8).map(Number);

/**
 * The gradient of Σ weights · run(inputs) with respect to each input, by backward and by differences. `twice`: that of
 * the gradients' weighted sum, too.
 */
export function expectGradients(
  run: (...inputs: Tensor[]) => Tensor,
  inputs: readonly Tensor[],
  { twice = false }: { readonly twice?: boolean } = {},
): void {
  const weights = randn(run(...inputs).shape as number[], { dtype: "float64", device: inputs[0]!.device, seed: 7 });
  const loss = (...at: Tensor[]) =>
    run(...at)
      .mul(weights)
      .sum();
  compare(loss, inputs);
  if (!twice) return;
  compare((...at) => {
    const found = gradients(loss(...at), at, { createGraph: true });
    return found
      .map((gradient, index) =>
        gradient
          .mul(randn(gradient.shape as number[], { dtype: "float64", device: gradient.device, seed: 11 + index }))
          .sum(),
      )
      .reduce((a, b) => a.add(b) as Tensor);
  }, inputs);
}

function compare(loss: (...inputs: Tensor[]) => Tensor, inputs: readonly Tensor[]): void {
  const leaves = () =>
    inputs.map((input) => {
      const leaf = input.clone();
      leaf.requiresGrad = true;
      return leaf;
    });
  const at = leaves();
  const value = loss(...at);
  if (value.requiresGrad) value.backward();
  // A leaf that the value does not depend on has no gradient: differences must say 0.
  const found = at.map((leaf) => leaf.grad ?? (leaf.detach().mul(0) as Tensor));
  found.forEach((gradient, which) => {
    const values = numbersOf(inputs[which]!);
    const shape = inputs[which]!.shape;
    const moved = (index: number, by: number) => {
      const point = leaves();
      const changed = tensor(
        values.map((each, i) => (i === index ? each + by : each)),
        { dtype: "float64", device: inputs[which]!.device },
      ).reshape(shape);
      changed.requiresGrad = true;
      point[which] = changed;
      return Number(loss(...point).item());
    };
    const analytic = numbersOf(gradient);
    values.forEach((_, index) => {
      const [above, below] = [moved(index, step), moved(index, -step)];
      const numeric = (above - below) / (2 * step);
      expect(
        Math.abs(analytic[index]! - numeric),
        `input ${which}, element ${index}: ${analytic[index]} by backward, ${numeric} by differences`,
      ).toBeLessThanOrEqual(
        slack * (1 + Math.abs(numeric)) + (rounding * (Math.abs(above) + Math.abs(below))) / (2 * step),
      );
    });
  });
}
