// checkpoint(fn): what fn computes on the way is not kept for gradients but computed again when they need it.
import { casting, isRecording, recording, watchOperands } from "../ops/core/hooks.ts";
import { call } from "../ops/core/calls.ts";
import type { Facts, Operand } from "../ops/core/operation.ts";
import { sameShape } from "../ops/kernels/map.ts";
import { DeviceArray } from "../memory/array.ts";
import { formatShape } from "../memory/shape.ts";
import { GradientError } from "../errors.ts";
import { histories } from "../ops/quantized/float8-linear.ts";
import { draws, type Draw } from "../tensor/generator.ts";
import { Tensor } from "../tensor/tensor.ts";
import { worded } from "../wording.ts";
import { backward } from "./backward.ts";
import { withRecording } from "./recording.ts";
import { withoutWaiting } from "./scopes.ts";
import { append, isTracked, standIns, trackOf } from "./tape.ts";
import { tidy } from "./tidy.ts";

const advice = "what comes after an await could not be computed again";

/**
 * `fn(...inputs)`, without keeping what it computes on the way: `backward` runs `fn` again for it, with the same random
 * numbers and under the same {@link autocast}. Gradients are the same; memory is that of the inputs and results alone,
 * for the time of one more `fn`. Tensors that `fn` makes are freed when it ends, but for those that it returns: one, or
 * an array of them. A {@link nn.Float8Linear} scales the second time as the first, and notes what it saw once. Other
 * things that it does, such as the running means of a batch norm, are done twice; what it uses from outside must still
 * be there and unchanged. Throws TensorError for an async function, GradientError where it does not return tensors, or
 * others the second time.
 * @example
 * const layer = new nn.Linear(4, 4);
 * const y = checkpoint((x: Tensor) => layer(x).tanh(), ones([2, 4]));
 * y.sum().backward();
 * layer.weight.grad!.shape; // → [ 4, 4 ]
 */
export function checkpoint<A extends readonly unknown[], R extends Tensor | readonly Tensor[]>(
  fn: (...inputs: A) => R,
  ...inputs: A
): R {
  const run = () => (isRecording() ? kept(fn, inputs) : fn(...inputs));
  return withoutWaiting("checkpoint", advice, fn as () => R, run);
}

/** How `fn` ran, to run it so again. */
interface Run {
  readonly fn: (...inputs: never[]) => unknown;
  /** How many. */
  readonly inputs: number;
  /** What it returned. */
  readonly facts: readonly Facts[];
  /** What it used from outside that wants a gradient. */
  readonly captured: readonly DeviceArray[];
  readonly drawn: readonly Draw[];
  readonly caster: typeof casting.current;
}

function kept<A extends readonly unknown[], R>(fn: (...inputs: A) => R, inputs: A): R {
  const used = new Set<DeviceArray>();
  const note = (operand: DeviceArray) => {
    if (isTracked(operand) && !inputs.includes(operand)) used.add(operand);
  };
  const run = () => recording.run(null, () => watchOperands(note, () => fn(...inputs)));
  const {
    result: { result, noted: scaled },
    noted: drawn,
  } = draws.note(() => tidy(() => histories.note(run)));
  const outputs = tensorsOf(result);
  const captured = [...used];
  if (captured.length === 0 && !inputs.some((each) => each instanceof DeviceArray && isTracked(each))) return result;
  const facts = outputs.map(({ dtype, shape }) => ({ dtype, shape }));
  const first: Run = { fn: fn as Run["fn"], inputs: inputs.length, facts, captured, drawn, caster: casting.current };
  // What came in is another tensor when it comes out: one that was computed.
  const fresh = outputs.map((each) => (inputs.includes(each) || used.has(each) ? each.detach() : each));
  for (const each of fresh) each.lineage = null;
  const gradient = (
    gradients: readonly (DeviceArray | null)[],
    forward: { readonly inputs: readonly Operand[]; readonly wanted: readonly boolean[] },
  ) => gradientsOf(first, gradients, forward);
  append("checkpoint", { gradient }, [...inputs, ...captured, ...scaled] as Operand[], fresh, {});
  return (Array.isArray(result) ? fresh : fresh[0]) as R;
}

function tensorsOf(result: unknown): readonly Tensor[] {
  const list: readonly unknown[] = Array.isArray(result) ? result : [result];
  const odd = list.find((each) => !(each instanceof Tensor));
  if (list.length === 0 || odd !== undefined)
    throw new GradientError(
      "OPERANDS",
      `checkpoint takes a function that returns a tensor or an array of tensors, but it returned ${worded(odd ?? result)}.`,
    );
  return list as readonly Tensor[];
}

/** Runs it again, on the tape, which begins at what it uses. */
function gradientsOf(
  { fn, inputs, facts, captured, drawn, caster }: Run,
  gradients: readonly (DeviceArray | null)[],
  { inputs: saved, wanted }: { readonly inputs: readonly Operand[]; readonly wanted: readonly boolean[] },
): (DeviceArray | null)[] {
  const isDifferentiated = isRecording();
  return tidy(() =>
    withRecording(true, () => {
      const begins = saved.map((each, index) =>
        wanted[index] ? call("expand", [each as DeviceArray], { shape: (each as DeviceArray).shape }) : each,
      );
      const instead = new Map(captured.map((each, index) => [each, begins[inputs + index] as DeviceArray]));
      const scaled = saved.slice(inputs + captured.length) as DeviceArray[];
      const repeated = () => histories.repeat(scaled, () => fn(...(begins.slice(0, inputs) as never[])));
      const again = () => standIns.run(instead, () => draws.repeat(drawn, repeated));
      const outputs = tensorsOf(casting.run(null, () => (caster === null ? again() : caster.again(again))));
      checkSame(facts, outputs);
      const roots = outputs.flatMap((output, index) => {
        const gradient = gradients[index] ?? null;
        return gradient === null || trackOf(output) === null ? [] : [{ output, gradient }];
      });
      const targets = begins.filter((_, index) => wanted[index]) as DeviceArray[];
      const found = backward(
        roots.map(({ output }) => output),
        roots.map(({ gradient }) => gradient),
        targets,
        { createGraph: isDifferentiated, endsThere: true },
      );
      const next = found.values();
      return wanted.map((isWanted) => (isWanted ? (next.next().value ?? null) : null));
    }),
  );
}

function checkSame(before: readonly Facts[], now: readonly Facts[]): void {
  const said = (list: readonly Facts[]) => list.map(({ dtype, shape }) => `${dtype}${formatShape(shape)}`).join(", ");
  const isSame =
    before.length === now.length &&
    before.every(({ dtype, shape }, index) => dtype === now[index]!.dtype && sameShape(shape, now[index]!.shape));
  if (!isSame)
    throw new GradientError(
      "CHANGED",
      `A function given to checkpoint returned ${said(before)}, but ${said(now)} when it was run again for its gradient: it must compute the same from the same.`,
    );
}
