// Which lines large tensors came from, for the error that says that there is no memory left for another one.
import type { HeldMemory } from "../errors.ts";
import { sizeText } from "../figures.ts";
import { binding } from "../wire/binding.ts";
import { origin, originPlace, placeText } from "./origins.ts";

/** Bytes from which on a block is noted. */
export const largeBlock = 1 << 20;
/** Lines of code that an error names. */
const mostNamed = 3;
const mostBlocks = 1000;

interface Full {
  readonly client: number;
  readonly name: string;
  readonly properties: { readonly memoryTotal: number };
}

/** What a client's allocator holds now. */
export function heldBy(client: number): HeldMemory {
  const { allocated, reserved, peak } = binding.memory(client);
  return { client, allocated, reserved, peak, blocks: binding.blocks(client) };
}

export class LargeBlocks {
  /** The origin of what was allocated at a place last. */
  readonly #origins = new Map<number, number>();
  /** The most bytes that tensors may take. */
  #limit = Infinity;

  /** Has them take no more than so many; what is there already stays. */
  setLimit(client: number, bytes: number): void {
    this.#limit = bytes;
    binding.limitMemory(client, Math.min(bytes, Number.MAX_SAFE_INTEGER));
  }

  note(place: number): void {
    this.#origins.set(place, origin.current);
  }

  /** Why there are not so many bytes left, after all that could be given back was. */
  shortage({ client, name, properties }: Full, bytes: number, memory: "device" | "host"): string {
    const { allocated, reserved } = binding.memory(client);
    const isDevice = memory === "device";
    const whole = isDevice ? `, which has ${sizeText(properties.memoryTotal)}` : "";
    const limit =
      isDevice && this.#limit < Infinity ? ` and of which setMemoryLimit allows ${sizeText(this.#limit)}` : "";
    const free = reserved - allocated;
    const pieces = isDevice && free >= bytes ? `, and ${sizeText(free)} lie free between them in smaller pieces` : "";
    return `There is not ${sizeText(bytes)} of ${memory} memory left on ${name}${whole}${limit}: tensors hold ${sizeText(allocated)}${pieces}${isDevice ? this.#largest(client) : ""}. Dispose of tensors that you no longer need, or work on fewer elements at a time.`;
  }

  /** The lines whose tensors hold most, of the large ones. */
  #largest(client: number): string {
    const found = binding.largest(client, mostBlocks);
    const lines = new Map<string, { count: number; bytes: number }>();
    for (let at = 0; at < found.length; at += 2) {
      const [place, bytes] = [found[at]!, found[at + 1]!];
      const from = originPlace(this.#origins.get(place) ?? 0);
      if (bytes < largeBlock || from === undefined) continue;
      const line = placeText(from);
      const known = lines.get(line) ?? { count: 0, bytes: 0 };
      lines.set(line, { count: known.count + 1, bytes: known.bytes + bytes });
    }
    if (lines.size === 0) return "";
    const named = [...lines]
      .sort(([, a], [, b]) => b.bytes - a.bytes)
      .slice(0, mostNamed)
      .map(([line, { count, bytes }]) => `${sizeText(bytes)}${count > 1 ? ` in ${count}` : ""} from ${line}`);
    return `; most of it ${named.join(", ")}`;
  }
}
