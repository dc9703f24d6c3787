// Layers without anything to train: a function of the library with its options, which are checked when it is made.
import { optionsTaken, reader, type Kind } from "../tensor/arguments.ts";
import { worded } from "../wording.ts";
import { Module } from "./module.ts";

type Kinds = Readonly<Record<string, Kind<unknown>>>;
/** What the constructor takes beside the options of the function. */
export interface Constructed {
  readonly required?: Kinds;
  readonly options?: Kinds;
  readonly bare?: readonly string[];
}

/** A value as a description of a layer has it. */
export const shown = (value: unknown): string => (Array.isArray(value) ? value.map(worded).join(" × ") : worded(value));
/** `alpha 2`, of each option. */
export const described = (options: object): string[] =>
  Object.entries(options).map(([name, value]) => `${name} ${shown(value)}`);

const instead = {
  inplace: "A layer returns a new tensor: leave it out.",
  sizeAverage: 'Write reduction: "mean", "sum" or "none".',
  reduce: 'Write reduction: "mean", "sum" or "none".',
};

/** A function of the library as a layer. */
export abstract class FunctionLayer<O extends object = object> extends Module {
  /** What the function is given beside its tensors. */
  readonly options: O;

  /** @internal Reads the arguments of the constructor as `compute` takes its options. Throws TensorError. */
  constructor(compute: object | null, args: readonly unknown[], more: Constructed = {}) {
    super();
    const { name } = new.target;
    const given = args.slice(0, args.findLastIndex((each) => each !== undefined) + 1);
    const taken = compute === null ? {} : optionsTaken(compute);
    const options: Kinds = { ...taken.options, ...more.options };
    this.options = reader<Kinds, Kinds>(name, {
      written: `new nn.${name}`,
      ...taken,
      ...(more.required === undefined ? {} : { required: more.required }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
      bare: more.bare ?? taken.bare ?? [],
      instead: { ...instead, ...taken.instead },
    })(given) as O;
  }

  /** Tensors among the options, the weights of classes, have the names of the options in its state. */
  protected override get contents(): string {
    return "options";
  }
  override describe(): string {
    return described(this.options).join(", ");
  }
}
