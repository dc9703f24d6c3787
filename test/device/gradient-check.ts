// Gradients against finite differences in float64.
import { expect } from "vitest";
import { freshSeed, seeded } from "../helpers/random.ts";
import { gradients, tensor, type Tensor } from "../../native/lib/index.ts";

export const random = seeded(freshSeed());
export const below = (limit: number): number => Math.floor(random() * limit);

const randoms = (shape: readonly number[], device: string) =>
  tensor(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random() * 2 - 1),
    { dtype: "float64", device },
  ).reshape(shape);

/** The elements in row-major order. */
export const numbersOf = (x: Tensor): number[] => (x.reshape([-1]).toArray() as unknown[]).map(Number);

/**
 * Elements of [-1, 1] in random order, any two of them, and each and 0, at least 1/(2 · count) apart: a difference's
 * steps across a kink, where a maximum changes hands or a sign turns, would measure neither slope.
 */
function spread(shapes: readonly (readonly number[])[], device: string): Tensor[] {
  const sizes = shapes.map((shape) => shape.reduce((a, b) => a * b, 1));
  const total = sizes.reduce((a, b) => a + b, 0);
  // An even number of strata has 0 on a border; each element lies in the middle half of its own.
  const count = total + (total % 2);
  const elements = Array.from({ length: count }, (_, at) => (2 * (at + 0.25 + random() / 2)) / count - 1);
  for (let at = count - 1; at > 0; at--) {
    const other = below(at + 1);
    [elements[at], elements[other]] = [elements[other]!, elements[at]!];
  }
  return shapes.map((shape, which) =>
    tensor(elements.splice(0, sizes[which]!), { dtype: "float64", device }).reshape(shape),
  );
}

/** The gradients of Σ w · f(x…), with random w and x of those shapes, are what differences say. */
export function expectGradients(
  f: (...x: Tensor[]) => Tensor,
  values: readonly { readonly shape: readonly number[] }[],
  device: string,
): void {
  const inputs = spread(
    values.map(({ shape }) => shape),
    device,
  ).map((input) => input.clone());
  for (const input of inputs) input.requiresGrad = true;
  const weights = randoms(f(...inputs).shape, device);
  const total = (...x: Tensor[]) =>
    f(...x)
      .mul(weights)
      .sum();
  const found = gradients(total(...inputs), inputs);
  const step = 2 ** -10;
  inputs.forEach((input, which) => {
    const base = numbersOf(input.detach());
    const difference = (at: number, step: number): number => {
      const [above, under] = [step, -step].map((by) => {
        const changed = tensor(
          base.map((each, index) => (index === at ? each + by : each)),
          { dtype: "float64", device },
        ).reshape(input.shape);
        return Number(total(...inputs.map((each, index) => (index === which ? changed : each.detach()))).item());
      });
      return (above! - under!) / (2 * step);
    };
    numbersOf(found[which]!).forEach((value, at) => {
      // Each errs by step²/6 · f‴, both together (Richardson) only by step⁴/480 · f⁽⁵⁾ and by roundings of the total
      // over the step.
      const wanted = (4 * difference(at, step / 2) - difference(at, step)) / 3;
      expect(Math.abs(value - wanted), `${f}: input ${which}, element ${at}: ${value} for ${wanted}`).toBeLessThan(
        1e-5,
      );
    });
  });
}
