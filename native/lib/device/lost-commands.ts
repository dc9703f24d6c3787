// The commands that died with a device's processes before they were known to be done, and what they died of.
import type { DeviceFault, InterruptedError } from "../errors.ts";
import type { SequenceRange } from "../wire/binding.ts";

type Cause = DeviceFault | InterruptedError;

export class LostCommands {
  readonly #lost: { readonly ranges: readonly SequenceRange[]; readonly cause: Cause }[] = [];

  /** Also of commands whose answers are `asked` for: those come when they are done, however far the others are. */
  add(unfinished: readonly SequenceRange[], asked: Iterable<number>, cause: Cause): void {
    const answers = Array.from(asked, (sequence) => ({ first: sequence, last: sequence }));
    const ranges = [...unfinished, ...answers];
    if (ranges.length > 0) this.#lost.push({ ranges, cause });
  }

  /** What a command was lost to; `undefined`: it was not. */
  causeOf(sequence: number): Cause | undefined {
    const isIn = ({ first, last }: SequenceRange): boolean => sequence >= first && sequence <= last;
    return this.#lost.find(({ ranges }) => ranges.some(isIn))?.cause;
  }
}
